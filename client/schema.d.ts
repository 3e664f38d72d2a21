// Generated from the OpenAPI document by npm run client. Do not edit.
export interface paths {
    "/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in, refresh, or request a reset mail */
        post: operations["postAuthToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Request a reset token by mail */
        post: operations["postAuthReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with a browser */
        post: operations["postPortalSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/session/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Renew the access token of a page */
        post: operations["postPortalSessionRenew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/session/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out */
        post: operations["postPortalSessionEnd"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal/session/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Request a reset token by mail */
        post: operations["postPortalSessionReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the current user */
        get: operations["getMeInfo"];
        /** Change the current user */
        put: operations["putMeInfo"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what the current user may do */
        get: operations["getMePermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List users */
        get: operations["getUsers"];
        put?: never;
        /** Create a user */
        post: operations["postUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a user */
        get: operations["getUsersUserId"];
        /** Change a user */
        put: operations["putUsersUserId"];
        post?: never;
        /** Delete a user */
        delete: operations["deleteUsersUserId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/acl/users/{id}/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read policies of a user */
        get: operations["getAclUsersIdPolicies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{userId}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the personal access tokens of a user */
        get: operations["getUsersUserIdTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{userId}/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a personal access token of a user */
        delete: operations["deleteUsersUserIdTokensTokenId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/personal/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your personal access tokens */
        get: operations["getPersonalTokens"];
        put?: never;
        /** Create a personal access token */
        post: operations["postPersonalTokens"];
        /** Delete all your personal access tokens */
        delete: operations["deletePersonalTokens"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/personal/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a personal access token */
        delete: operations["deletePersonalTokensTokenId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organisations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List child organisations */
        get: operations["getOrganisations"];
        put?: never;
        /** Create a child organisation */
        post: operations["postOrganisations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organisations/{organisationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an organisation */
        get: operations["getOrganisationsOrganisationId"];
        /** Change an organisation */
        put: operations["putOrganisationsOrganisationId"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/acl/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List roles with their policies */
        get: operations["getAclRoles"];
        put?: never;
        /** Create a role */
        post: operations["postAclRoles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/acl/roles/{roleName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read policies of a role */
        get: operations["getAclRolesRoleName"];
        /** Change the policies of a role */
        put: operations["putAclRolesRoleName"];
        post?: never;
        /** Delete a role */
        delete: operations["deleteAclRolesRoleName"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List audit records */
        get: operations["getAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/regions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List regions */
        get: operations["getRegions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List cities */
        get: operations["getCities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cloud-gateways-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List destinations */
        get: operations["getCloudGatewaysTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cloud-destination-families": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List families */
        get: operations["getCloudDestinationFamilies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organisations/{organisationId}/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List products of an organisation */
        get: operations["getOrganisationsOrganisationIdProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organisations/{organisationId}/products/{shortname}/{serviceRegion}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the product of a family and region */
        get: operations["getOrganisationsOrganisationIdProductsShortnameServiceRegion"];
        /** Set how many connectors of a family a child may have in a region */
        put: operations["putOrganisationsOrganisationIdProductsShortnameServiceRegion"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organisations/{organisationId}/capacities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List subscribed capacities of an organisation */
        get: operations["getOrganisationsOrganisationIdCapacities"];
        put?: never;
        /** Subscribe a child to a capacity */
        post: operations["postOrganisationsOrganisationIdCapacities"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organisations/{organisationId}/capacities/{capacityId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a subscribed capacity */
        get: operations["getOrganisationsOrganisationIdCapacitiesCapacityId"];
        /** Change a subscribed capacity of a child */
        put: operations["putOrganisationsOrganisationIdCapacitiesCapacityId"];
        post?: never;
        /** End a subscribed capacity of a child */
        delete: operations["deleteOrganisationsOrganisationIdCapacitiesCapacityId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/capacities/available": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what is left of the subscribed capacities */
        get: operations["getCapacitiesAvailable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/capacities/available/{subscribedCapacityId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what is left of a subscribed capacity */
        get: operations["getCapacitiesAvailableSubscribedCapacityId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List groups */
        get: operations["getGroups"];
        put?: never;
        /** Create a group */
        post: operations["postGroups"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{groupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a group */
        get: operations["getGroupsGroupId"];
        /** Change a group */
        put: operations["putGroupsGroupId"];
        post?: never;
        /** Delete a group */
        delete: operations["deleteGroupsGroupId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{groupId}/capacities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List capacity allocations of a group */
        get: operations["getGroupsGroupIdCapacities"];
        put?: never;
        /** Allocate capacity to a group */
        post: operations["postGroupsGroupIdCapacities"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/groups/{groupId}/capacities/{allocationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change an allocation */
        put: operations["putGroupsGroupIdCapacitiesAllocationId"];
        post?: never;
        /** Delete an allocation */
        delete: operations["deleteGroupsGroupIdCapacitiesAllocationId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List tags */
        get: operations["getTags"];
        put?: never;
        /** Create a tag */
        post: operations["postTags"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tags/{tagId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a tag */
        get: operations["getTagsTagId"];
        /** Change a tag */
        put: operations["putTagsTagId"];
        post?: never;
        /** Delete a tag */
        delete: operations["deleteTagsTagId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cloud-appliances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List cloud and routing appliances */
        get: operations["getCloudAppliances"];
        put?: never;
        /** Register an appliance */
        post: operations["postCloudAppliances"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cloud-appliances/{cloudAppliancesId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an appliance */
        get: operations["getCloudAppliancesCloudAppliancesId"];
        /** Change an appliance */
        put: operations["putCloudAppliancesCloudAppliancesId"];
        post?: never;
        /** Delete an appliance */
        delete: operations["deleteCloudAppliancesCloudAppliancesId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cloud-appliances/{cloudAppliancesId}/cloud-virtual-interfaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List virtual interfaces of an appliance */
        get: operations["getCloudAppliancesCloudAppliancesIdCloudVirtualInterfaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cloud-appliances/{cloudAppliancesId}/cloud-virtual-interfaces/{cloudVirtualInterfacesId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a virtual interface */
        get: operations["getCloudAppliancesCloudAppliancesIdCloudVirtualInterfacesCloudVirtualInterfacesId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cloud-appliance-models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List appliance models */
        get: operations["getCloudApplianceModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connectors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List connectors */
        get: operations["getConnectors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connectors/group/{groupid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List connectors of a group */
        get: operations["getConnectorsGroupGroupid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connectors/{connid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a connector */
        get: operations["getConnectorsConnid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connectors/{connid}/prefixes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read BGP prefixes of a connector */
        get: operations["getConnectorsConnidPrefixes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/connectors/{connid}/looking-glass": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Look at the fabric from a connector */
        get: operations["getConnectorsConnidLookingGlass"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flow/connector/set-registered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a connector */
        post: operations["postFlowConnectorSetRegistered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flow/connector/auto-deploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a connector and deploy it */
        post: operations["postFlowConnectorAutoDeploy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flow/connector/check-name": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check whether a connector can have a name */
        post: operations["postFlowConnectorCheckName"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flow/connector/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check whether a connector can be created */
        post: operations["postFlowConnectorCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flow/connector/{connid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the read and write models of a connector */
        get: operations["getFlowConnectorConnid"];
        /** Change a connector */
        put: operations["putFlowConnectorConnid"];
        post?: never;
        /** Delete a connector */
        delete: operations["deleteFlowConnectorConnid"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flow/connector/{connid}/set-in-deployment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deploy a connector */
        post: operations["postFlowConnectorConnidSetInDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flow/connector/{connid}/deployment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the deployment of a connector */
        get: operations["getFlowConnectorConnidDeployment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List links */
        get: operations["getLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/link/group/{groupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List links of a group */
        get: operations["getLinkGroupGroupId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flow/link/set-registered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a link */
        post: operations["postFlowLinkSetRegistered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flow/link/{linkid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a link */
        get: operations["getFlowLinkLinkid"];
        /** Change a link */
        put: operations["putFlowLinkLinkid"];
        post?: never;
        /** Delete a link */
        delete: operations["deleteFlowLinkLinkid"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flow/link/{linkid}/set-in-deployment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deploy a link */
        post: operations["postFlowLinkLinkidSetInDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flow/link/{linkid}/deployment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the deployment of a link */
        get: operations["getFlowLinkLinkidDeployment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics/query/irn/{irn}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List metrics of a resource */
        get: operations["getMetricsQueryIrnIrn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics/query/irn/{irn}/{metricType}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Run a metric */
        get: operations["getMetricsQueryIrnIrnMetricTypeRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics/write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Write points */
        post: operations["postMetricsWrite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Write points, as Telegraf's InfluxDB output does */
        post: operations["postWrite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept CREATE DATABASE of agents */
        post: operations["postQuery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Respond to the ping of agents */
        get: operations["getPing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check the metric engine */
        get: operations["getHealthMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics/capacities/{region}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Report the capacities of a region */
        get: operations["getMetricsCapacitiesRegion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process is alive */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the service can handle requests */
        get: operations["getReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This API as an OpenAPI 3.1 document */
        get: operations["getOpenapijson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This API as a page to read */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Problem: {
            /** @description A sentence a person can act on */
            error: string;
            /** @enum {string} */
            code: "InvalidInput" | "InvalidJson" | "BodyTooDeep" | "BadRequest" | "HttpsRequired" | "InvalidGrant" | "UnsupportedGrant" | "InvalidScopeHeader" | "EmailTaken" | "PasswordTooWeak" | "CurrentPasswordWrong" | "InvalidRole" | "UnknownMetric" | "PartialWrite" | "UnsupportedQuery" | "ReadOnlyField" | "Unauthenticated" | "InvalidToken" | "InvalidClient" | "NotEnoughSpareProducts" | "NotEnoughCapacity" | "Forbidden" | "ForbiddenScope" | "CrossSite" | "ResetTokenOnly" | "NotWithPersonalToken" | "MoreThanHeld" | "NotParent" | "NotReseller" | "NotFound" | "UnknownPath" | "MethodNotAllowed" | "ShippedRole" | "ConnectorLinked" | "GroupInUse" | "ApplianceInUse" | "RequestTimeout" | "RoleTaken" | "RoleInUse" | "TooManyRoles" | "LastAdmin" | "TooManyTokens" | "NameTaken" | "VlanTaken" | "Overlaps" | "AlreadyAllocated" | "AlreadyLinked" | "BelowUsed" | "BelowAllocated" | "NoLookingGlass" | "NotInFabric" | "EngineReadsOnly" | "StillRunning" | "SecretShownOnce" | "Conflict" | "Stale" | "TooLarge" | "UnsupportedMediaType" | "ExpectationFailed" | "KeyReused" | "TooManyRequests" | "HeadersTooLarge" | "Internal" | "EngineUnavailable" | "EngineRefused" | "Busy" | "DatabaseUnavailable" | "Stopping" | "FabricUnavailable" | "MetricsDown" | "EngineTimeout" | "DatabaseTimeout";
            /** @description Gateway-Request-ID of this request: the log has the rest */
            requestId: string;
            details?: {
                path: string;
                message: string;
            }[];
        };
        /** Tokens */
        Tokens: {
            access_token: string;
            expires_in: number;
            refresh_token: string;
            scope: string;
            token_type: string;
        };
        /** ResetRequested */
        ResetRequested: {
            status: string;
        };
        /** BrowserSession */
        BrowserSession: {
            /** @description null without a session */
            accessToken: string | null;
            /** @description Seconds */
            expiresIn: number;
            /** @description The user of the session; another page of this browser may have signed in as another user */
            userId: string | null;
        };
        /** FirstName */
        FirstName: string | null;
        /** Contact */
        Contact: {
            phone?: string | null;
            site?: string | null;
        };
        /** Preference */
        Preference: {
            language?: string | null;
        };
        /** Login */
        Login: {
            /** @description UUID */
            id: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
            /** @description UUID */
            userId: string;
            firstLoginAt: string | null;
            numberLogin: number;
            numberFaileLogin: number;
            lastLoginAt: string | null;
            lastFailedLoginAt: string | null;
            userAgentFirstLogin: string | null;
            ipFirstLogin: string | null;
        };
        /** CurrentUser */
        CurrentUser: {
            /** @description UUID */
            id: string;
            /** @description Numeric id of the user (int64) */
            number: number;
            firstName: components["schemas"]["FirstName"];
            lastName: string;
            email: string;
            role: string;
            /** @description UUID */
            organisationId: string;
            enabled: boolean;
            contact: components["schemas"]["Contact"] | null;
            preference: components["schemas"]["Preference"] | null;
            login: components["schemas"]["Login"];
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
            firstname: components["schemas"]["FirstName"];
            lastname: string;
        };
        /** FirstName.change */
        "FirstName.change": string | null;
        /** Permissions */
        Permissions: {
            role: string;
            /** @description The operations that the role allows, in the order of this document */
            operations: {
                method: "GET" | "POST" | "PUT" | "DELETE";
                /** @description Route template as in this document */
                path: string;
            }[];
        };
        /** User */
        User: {
            /** @description UUID */
            id: string;
            /** @description Numeric id of the user (int64) */
            number: number;
            firstName: components["schemas"]["FirstName"];
            lastName: string;
            email: string;
            role: string;
            /** @description UUID */
            organisationId: string;
            enabled: boolean;
            contact: components["schemas"]["Contact"] | null;
            preference: components["schemas"]["Preference"] | null;
            login: components["schemas"]["Login"];
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
        };
        /** Policy */
        Policy: {
            /** @description HTTP verb, or * */
            act: "GET" | "POST" | "PUT" | "DELETE" | "*";
            /** @description deny wins */
            eft: "allow" | "deny";
            /** @description Route template; a * at its end matches the rest of the path */
            obj: string;
            /** @description <resource>:<read|write|deploy>:<own|organisation|*>, matched against the permission of each operation */
            res: string;
        };
        /** PersonalToken */
        PersonalToken: {
            /** @description UUID */
            id: string;
            name: string;
            comment: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /** @description Lifetime in seconds, set on creation */
            expiresIn: number;
            /** @description UUID */
            userId: string;
        };
        /** NewPersonalToken */
        NewPersonalToken: {
            /** @description UUID */
            id: string;
            /** @description The token; it is shown only once */
            accessToken: string;
            expiresIn: number;
            scope: string;
            tokenType: string;
            access_token: string;
            expires_in: number;
            token_type: string;
        };
        /** Address */
        Address: {
            /** @description UUID */
            id: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
            /** @description UUID */
            organisationId: string;
            street: string | null;
            city: string | null;
            zipcode: string | null;
            country: string | null;
        };
        /** Invoice */
        Invoice: {
            /** @description UUID */
            id: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
            /** @description UUID */
            organisationId: string;
            tvasubjection: boolean | null;
            tvanumber: string | null;
            tvaintra: string | null;
        };
        /**
         * ParentId
         * @description The parent of the organisation; null at the top
         */
        ParentId: string | null;
        /** SubscribedCapacity */
        SubscribedCapacity: {
            /** @description UUID */
            id: string;
            /** @description Bits per second */
            capacity: number;
            /** @description Months */
            duration: number;
            /** @description Within one region */
            isRegional: boolean;
            /** @description UUID */
            region1Id: string;
            region2Id: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
        };
        /** Organisation */
        Organisation: {
            /** @description UUID */
            id: string;
            name: string;
            address: components["schemas"]["Address"];
            invoice: components["schemas"]["Invoice"];
            phone: string | null;
            parentId: components["schemas"]["ParentId"];
            parent_id: components["schemas"]["ParentId"];
            reseller: boolean;
            capacities: components["schemas"]["SubscribedCapacity"][] | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
        };
        /** ChildOrganisation */
        ChildOrganisation: {
            /** @description UUID */
            id: string;
            name: string;
            reseller: boolean;
            childrenCount: number;
        };
        /** OrganisationWithChildren */
        OrganisationWithChildren: {
            /** @description UUID */
            id: string;
            name: string;
            address: components["schemas"]["Address"];
            invoice: components["schemas"]["Invoice"];
            phone: string | null;
            parentId: components["schemas"]["ParentId"];
            parent_id: components["schemas"]["ParentId"];
            reseller: boolean;
            capacities: components["schemas"]["SubscribedCapacity"][] | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
            children: components["schemas"]["ChildOrganisation"][];
        };
        /** Role */
        Role: {
            role: string;
            policies: components["schemas"]["Policy"][];
        };
        /** FieldChange */
        FieldChange: {
            path: string;
            before: unknown;
            after: unknown;
        };
        /** AuditRecord */
        AuditRecord: {
            /** @description UUID */
            id: string;
            action: "create" | "update" | "delete" | "deploy" | "sign-in" | "sign-in-refused" | "lock" | "reset-asked" | "reset" | "sign-out" | "refresh-reused";
            clientIP: string;
            /** @description UUID */
            organisationID: string;
            serviceIRN: string;
            serviceName: string;
            serviceType: string;
            userID: string | null;
            userName: string;
            userAgent: string | null;
            onBehalf: string | null;
            changes: components["schemas"]["FieldChange"][] | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
        };
        /** Region */
        Region: {
            /** @description UUID */
            id: string;
            name: string;
            slug: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
        };
        /** City */
        City: {
            country: string;
            /** @description UN/LOCODE */
            locode: string;
            name: string;
            /** @description Short name of the city, used in filters */
            slacity: string;
            state: string | null;
            zipcode: number;
        };
        /** Family */
        Family: {
            /** @description UUID */
            id: string;
            /** @description Also the name of the sub-object of its connectors */
            shortName: string;
        };
        /** Destination */
        Destination: {
            /** @description UUID */
            id: string;
            /** @description The provider’s name of the place, unique within the family */
            cspCity: string;
            family: components["schemas"]["Family"];
            /** @description Slug of the region */
            region: string;
            slacity: string;
            /** @description The edge of the platform that reaches it */
            edgeCode: string;
            longitude: number;
            latitude: number;
        };
        /** Product */
        Product: {
            /** @description Short name of the family */
            family: string;
            /** @description Slug of the region */
            serviceRegion: string;
            service: string;
            type: string;
            total: number;
            used: number;
        };
        /** AvailableCapacity */
        AvailableCapacity: {
            /** @description UUID */
            subscribedCapacityId: string;
            /** @description Bits per second */
            availableCapacity: number;
        };
        /** Group */
        Group: {
            /** @description UUID */
            id: string;
            irn: string;
            name: string;
            description: string | null;
            /** @description UUID */
            organisationId: string;
            /** @description The same as organisationId */
            organisationid: string;
            allocatedCapacity: number | null;
            tagIds: string[] | null;
            countConnectors: number;
            countFlowConnectors: number;
            countLinks: number;
            countFlowLinks: number;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
        };
        /** GroupCapacityAllocation */
        GroupCapacityAllocation: {
            /** @description UUID */
            id: string;
            irn: string;
            /** @description UUID */
            groupId: string;
            /** @description UUID */
            capacityId: string;
            /** @description Bits per second */
            allocation: number;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
        };
        /** Tag */
        Tag: {
            /** @description UUID */
            id: string;
            name: string;
            description: string | null;
            color: string | null;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
        };
        /** CloudApplianceModel */
        CloudApplianceModel: {
            /** @description UUID */
            id: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
            modelName: string;
            maxCapacity: string;
            connectorsNumber: number;
            dualPowered: boolean;
            flowtypes: string;
            vendor: string;
            type: string;
            uplinkMedia: string;
        };
        /** CustomerParameters */
        CustomerParameters: {
            /** @description Never shown here */
            bgpKey: null;
            gwAs: string;
            gwIP: string;
            gwSubnetMask: string;
            ipAddress: string;
            peerAs: string;
            peerIP: string;
            gwUnit: number;
            vlanID: number;
        };
        /** CloudVirtualInterface */
        CloudVirtualInterface: {
            /** @description UUID */
            id: string;
            irn: string;
            /** @description UUID */
            cloudApplianceId: string;
            /** @description UUID */
            GatewayID: string;
            name: string;
            description: string | null;
            tagIds: string[];
            cmeIfDescription: string;
            /** @description UUID */
            organisationId: string;
            linkedEntrepriseConnectorName: string;
            custParameters: components["schemas"]["CustomerParameters"];
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
        };
        /** ListedCloudAppliance */
        ListedCloudAppliance: {
            /** @description UUID */
            id: string;
            irn: string;
            name: string;
            description: string | null;
            kind: "cloudAppliance" | "routingAppliance";
            tagIds: string[] | null;
            /** @description UUID */
            organisationId: string;
            siteName: string;
            slacity: string;
            /** @description Slug of the region */
            region: string;
            /** @description UUID */
            cloudApplianceModelID: string;
            cloudApplianceModel: components["schemas"]["CloudApplianceModel"];
            /** @description Port towards the customer’s network */
            custCloudApplianceInterface: string;
            /** @description Port towards the platform */
            svcCloudApplianceInterface: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
            cloudVirtualInterfaces: components["schemas"]["CloudVirtualInterface"][];
        };
        /** CloudAppliance */
        CloudAppliance: {
            /** @description UUID */
            id: string;
            irn: string;
            name: string;
            description: string | null;
            kind: "cloudAppliance" | "routingAppliance";
            tagIds: string[] | null;
            /** @description UUID */
            organisationId: string;
            siteName: string;
            slacity: string;
            /** @description Slug of the region */
            region: string;
            /** @description UUID */
            cloudApplianceModelID: string;
            cloudApplianceModel: components["schemas"]["CloudApplianceModel"];
            /** @description Port towards the customer’s network */
            custCloudApplianceInterface: string;
            /** @description Port towards the platform */
            svcCloudApplianceInterface: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
            /** @description By their ids */
            cloudVirtualInterfaces: {
                [key: string]: components["schemas"]["CloudVirtualInterface"];
            };
        };
        /** Connector */
        Connector: {
            /** @description UUID */
            id: string;
            irn: string;
            connectorType: "cloudGateway" | "virtualGateway";
            /** @description UUID */
            connectorTypeId: string;
            name: string;
            description: string | null;
            tagIds: string[] | null;
            /** @description UUID */
            organisationId: string;
            /** @description UUID */
            groupId: string;
            /** @description Name of the region */
            region: string;
            /** @description Slug of the region */
            slug: string;
            longitude: number;
            latitude: number;
            /** @description The router of its group at its edge */
            routerIrn: string;
            bgpDescriptions: string[];
            routerInterface: string[];
            /** @description Bits per second */
            bandwidth: number;
            kind: string;
            /** @description registered → in-deployment → deployed → delivered; error: deploy again */
            state: "registered" | "in-deployment" | "deployed" | "delivered" | "error";
            /** @description 0 OK, 1 warning, 2 critical, 3 unknown (registered, or no report for 15 minutes) */
            status: number;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            statusSince: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
        };
        /** ConnectorPrefixes */
        ConnectorPrefixes: {
            prefixes: {
                /** @description UUID */
                connectorId: string;
                connectorName: string;
                interface: string;
                isActive: boolean;
                localPreference: number;
                nextHop: string;
                path: string;
                prefix: string;
                protocol: string;
            }[];
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            requestDate: string;
        };
        /** LookingGlass */
        LookingGlass: {
            command: string;
            origin: string;
            lines: string[];
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            requestDate: string;
        };
        /**
         * providerA.create
         * @example {
         *       "asNumber": 64710,
         *       "providerAAccount": 123456789012,
         *       "providerAAddress": "169.254.20.1/30",
         *       "customerAddress": "169.254.20.2/30"
         *     }
         */
        "providerA.create": {
            providerAAddress?: string | null;
            /** @description AS number, 2 or 4 bytes, as a plain number */
            asNumber: number;
            /** @description Account number of twelve digits */
            providerAAccount: number | string;
            customerAddress?: string | null;
            platformAsNumber?: number | null;
        };
        /**
         * providerAHostedConnection.create
         * @example {
         *       "asNumber": 4200000710,
         *       "providerAAccount": "000456789012",
         *       "portSpeed": "500Mbps"
         *     }
         */
        "providerAHostedConnection.create": {
            /** @description AS number, 2 or 4 bytes, as a plain number */
            asNumber: number;
            /** @description Account number of twelve digits */
            providerAAccount: number | string;
            platformAsNumber?: number | null;
            portSpeed?: ("50Mbps" | "100Mbps" | "200Mbps" | "300Mbps" | "400Mbps" | "500Mbps" | "1Gbps" | "2Gbps" | "5Gbps" | "10Gbps") | null;
        };
        /**
         * providerB.create
         * @example {
         *       "serviceKey": "5b2f6c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
         *       "primarySubnet": "192.0.2.0/30"
         *     }
         */
        "providerB.create": {
            platformAsNumber?: number | null;
            primarySubnet?: string | null;
            secondarySubnet?: string | null;
        } & ({
            /** @description Service key of the circuit. Stored sealed; an update without it leaves it unchanged */
            serviceKey: string;
        } | {
            /** @description Another spelling of serviceKey; send one of the two */
            providerBServiceKey: string;
        });
        /**
         * providerC.create
         * @example {
         *       "pairingKey": "7e51371e-72a3-40b5-b844-2e3efefaee59/frankfurt/1",
         *       "bandwidth": "BPS_200M",
         *       "med": 100
         *     }
         */
        "providerC.create": {
            bandwidth?: ("BPS_50M" | "BPS_100M" | "BPS_200M" | "BPS_300M" | "BPS_400M" | "BPS_500M" | "BPS_1G" | "BPS_2G" | "BPS_5G" | "BPS_10G" | "BPS_20G" | "BPS_50G") | null;
            med?: number | null;
            /** @description Pairing key of the attachment. Stored sealed; an update without it leaves it unchanged */
            pairingKey: string;
            platformAsNumber?: number | null;
        };
        /**
         * csp.create
         * @description To a provider: exactly one sub-object, of the destination’s family
         */
        "csp.create": {
            /** @description A destination of GET /cloud-gateways-types */
            cloudDestinationID: string;
            providerA?: components["schemas"]["providerA.create"] | null;
            providerAHostedConnection?: components["schemas"]["providerAHostedConnection.create"] | null;
            providerB?: components["schemas"]["providerB.create"] | null;
            providerC?: components["schemas"]["providerC.create"] | null;
        };
        /**
         * entreprise.create
         * @example {
         *       "cloudApplianceID": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
         *       "vlan": 204,
         *       "customerASN": 64620,
         *       "cmeGatewayIP": "192.0.2.18",
         *       "cloudApplianceCloudVirtualInterfaceIP": "192.0.2.17",
         *       "cmeMask": "255.255.255.252"
         *     }
         */
        "entreprise.create": {
            cloudApplianceCloudVirtualInterfaceIP?: string | null;
            /** @description The appliance of the site */
            cloudApplianceID: string;
            cmeBGPKey?: string | null;
            cmeGatewayIP?: string | null;
            cmeMask?: string | null;
            /** @description AS number, 2 or 4 bytes, as a plain number */
            customerASN: number;
            serviceCloudApplianceASN?: number | null;
            /** @description VLAN, unique on its appliance */
            vlan: number;
        };
        /**
         * ProspectPool
         * @description The pool that it takes a product from; null if it needs none
         */
        ProspectPool: {
            family: string;
            /** @description Slug of the region */
            region: string;
            /** @description Products in the pool */
            total: number;
            /** @description Products in use by connectors */
            used: number;
            /** @description Products left, before this connector takes one */
            spare: number;
        };
        /** providerA.change */
        "providerA.change": {
            providerAAddress?: string | null;
            /** @description AS number, 2 or 4 bytes, as a plain number */
            asNumber?: number;
            /** @description Account number of twelve digits */
            providerAAccount?: number | string;
            customerAddress?: string | null;
            platformAsNumber?: number | null;
        };
        /** providerAHostedConnection.change */
        "providerAHostedConnection.change": {
            /** @description AS number, 2 or 4 bytes, as a plain number */
            asNumber?: number;
            /** @description Account number of twelve digits */
            providerAAccount?: number | string;
            platformAsNumber?: number | null;
            portSpeed?: ("50Mbps" | "100Mbps" | "200Mbps" | "300Mbps" | "400Mbps" | "500Mbps" | "1Gbps" | "2Gbps" | "5Gbps" | "10Gbps") | null;
        };
        /** providerB.change */
        "providerB.change": {
            serviceKey?: string | null;
            /** @description Another spelling of serviceKey; send one of the two */
            providerBServiceKey?: string | null;
            platformAsNumber?: number | null;
            primarySubnet?: string | null;
            secondarySubnet?: string | null;
        };
        /** providerC.change */
        "providerC.change": {
            bandwidth?: ("BPS_50M" | "BPS_100M" | "BPS_200M" | "BPS_300M" | "BPS_400M" | "BPS_500M" | "BPS_1G" | "BPS_2G" | "BPS_5G" | "BPS_10G" | "BPS_20G" | "BPS_50G") | null;
            med?: number | null;
            pairingKey?: string | null;
            platformAsNumber?: number | null;
        };
        /** entreprise.change */
        "entreprise.change": {
            cloudApplianceCloudVirtualInterfaceIP?: string | null;
            /** @description The appliance of the site */
            cloudApplianceID?: string;
            cmeBGPKey?: string | null;
            cmeGatewayIP?: string | null;
            cmeMask?: string | null;
            /** @description AS number, 2 or 4 bytes, as a plain number */
            customerASN?: number;
            serviceCloudApplianceASN?: number | null;
            /** @description VLAN, unique on its appliance */
            vlan?: number;
        };
        /**
         * ProspectFilledIn
         * @description Defaults for the fields that were left out, each at its place in the body. Addresses are allocated on creation and are not included.
         */
        ProspectFilledIn: {
            description?: string;
            csp?: {
                providerA?: components["schemas"]["providerA.change"];
                providerAHostedConnection?: components["schemas"]["providerAHostedConnection.change"];
                providerB?: components["schemas"]["providerB.change"];
                providerC?: components["schemas"]["providerC.change"];
            };
            entreprise?: components["schemas"]["entreprise.change"];
        };
        /** ConnectorProspect */
        ConnectorProspect: {
            takes: components["schemas"]["ProspectPool"] | null;
            filledIn: components["schemas"]["ProspectFilledIn"];
        };
        /** providerA.read */
        "providerA.read": {
            providerAAddress: string | null;
            asNumber: number | null;
            providerAAccount: number | null;
            customerAddress: string | null;
            platformAsNumber: number | null;
            dxvif: string | null;
        };
        /** providerAHostedConnection.read */
        "providerAHostedConnection.read": {
            asNumber: number | null;
            providerAAccount: number | null;
            platformAsNumber: number | null;
            portSpeed: ("50Mbps" | "100Mbps" | "200Mbps" | "300Mbps" | "400Mbps" | "500Mbps" | "1Gbps" | "2Gbps" | "5Gbps" | "10Gbps") | null;
            providerAPeerIP: string | null;
            customerPeerIP: string | null;
            bgpKey: string | null;
            connectionId: string | null;
            vlanId: number | null;
        };
        /** providerB.read */
        "providerB.read": {
            providerBServiceKey: string | null;
            platformAsNumber: number | null;
            primarySubnet: string | null;
            secondarySubnet: string | null;
        };
        /** providerC.read */
        "providerC.read": {
            bandwidth: ("BPS_50M" | "BPS_100M" | "BPS_200M" | "BPS_300M" | "BPS_400M" | "BPS_500M" | "BPS_1G" | "BPS_2G" | "BPS_5G" | "BPS_10G" | "BPS_20G" | "BPS_50G") | null;
            med: number | null;
            pairingKey: string | null;
            platformAsNumber: number | null;
            interconnectId: string | null;
        };
        /** csp.read */
        "csp.read": {
            /** @description UUID */
            cloudDestinationID: string;
            providerA?: components["schemas"]["providerA.read"];
            providerAHostedConnection?: components["schemas"]["providerAHostedConnection.read"];
            providerB?: components["schemas"]["providerB.read"];
            providerC?: components["schemas"]["providerC.read"];
        };
        /** entreprise.read */
        "entreprise.read": {
            cloudApplianceCloudVirtualInterfaceIP: string | null;
            cloudApplianceID: string | null;
            cmeBGPKey: string | null;
            cmeGatewayIP: string | null;
            cmeMask: string | null;
            customerASN: number | null;
            serviceCloudApplianceASN: number | null;
            vlan: number | null;
        };
        /** Connector.read */
        "Connector.read": {
            name: string;
            description: string | null;
            /** @description UUID */
            groupId: string;
            tagIds: string[] | null;
            csp: components["schemas"]["csp.read"] | null;
            entreprise: components["schemas"]["entreprise.read"] | null;
            irn: string;
            /** @description The same as groupId */
            groupID: string;
        };
        /** providerA.write */
        "providerA.write": {
            providerAAddress: string | null;
            asNumber: number | null;
            providerAAccount: number | null;
            customerAddress: string | null;
            platformAsNumber: number | null;
        };
        /** providerAHostedConnection.write */
        "providerAHostedConnection.write": {
            asNumber: number | null;
            providerAAccount: number | null;
            platformAsNumber: number | null;
            portSpeed: ("50Mbps" | "100Mbps" | "200Mbps" | "300Mbps" | "400Mbps" | "500Mbps" | "1Gbps" | "2Gbps" | "5Gbps" | "10Gbps") | null;
        };
        /** providerB.write */
        "providerB.write": {
            serviceKey: string | null;
            platformAsNumber: number | null;
            primarySubnet: string | null;
            secondarySubnet: string | null;
        };
        /** providerC.write */
        "providerC.write": {
            bandwidth: ("BPS_50M" | "BPS_100M" | "BPS_200M" | "BPS_300M" | "BPS_400M" | "BPS_500M" | "BPS_1G" | "BPS_2G" | "BPS_5G" | "BPS_10G" | "BPS_20G" | "BPS_50G") | null;
            med: number | null;
            pairingKey: string | null;
            platformAsNumber: number | null;
        };
        /** csp.write */
        "csp.write": {
            /** @description UUID */
            cloudDestinationID: string;
            providerA?: components["schemas"]["providerA.write"];
            providerAHostedConnection?: components["schemas"]["providerAHostedConnection.write"];
            providerB?: components["schemas"]["providerB.write"];
            providerC?: components["schemas"]["providerC.write"];
        };
        /** entreprise.write */
        "entreprise.write": {
            cloudApplianceCloudVirtualInterfaceIP: string | null;
            cloudApplianceID: string | null;
            cmeBGPKey: string | null;
            cmeGatewayIP: string | null;
            cmeMask: string | null;
            customerASN: number | null;
            serviceCloudApplianceASN: number | null;
            vlan: number | null;
        };
        /** Connector.write */
        "Connector.write": {
            name: string;
            description: string | null;
            /** @description UUID */
            groupId: string;
            tagIds: string[] | null;
            csp: components["schemas"]["csp.write"] | null;
            entreprise: components["schemas"]["entreprise.write"] | null;
        };
        /** ConnectorReadWriteModel */
        ConnectorReadWriteModel: {
            /** @description What you may do now */
            actions: ("update" | "delete" | "deploy")[];
            read: components["schemas"]["Connector.read"];
            write: components["schemas"]["Connector.write"];
            /** @description registered → in-deployment → deployed → delivered; error: deploy again */
            state: "registered" | "in-deployment" | "deployed" | "delivered" | "error";
        };
        /** csp.change */
        "csp.change": {
            providerA?: components["schemas"]["providerA.change"] | null;
            providerAHostedConnection?: components["schemas"]["providerAHostedConnection.change"] | null;
            providerB?: components["schemas"]["providerB.change"] | null;
            providerC?: components["schemas"]["providerC.change"] | null;
        };
        /** Deployment */
        Deployment: {
            /** @description registered → in-deployment → deployed → delivered; error: deploy again */
            state: "registered" | "in-deployment" | "deployed" | "delivered" | "error";
            origin: ("simulated" | "lab") | null;
            steps: {
                /** @description order, plan, apply, verify and probe while it is deployed; after that repair and watch, as things happen */
                name: string;
                /**
                 * Format: date-time
                 * @description UTC, with microseconds
                 * @example 2026-11-14T09:30:00.123456Z
                 */
                startedAt: string;
                endedAt: string | null;
                outcome: "running" | "done" | "failed";
                message: string;
            }[];
            cause: string | null;
            advice: string | null;
        };
        /** ListedLink */
        ListedLink: {
            /** @description UUID */
            id: string;
            irn: string;
            name: string;
            description: string | null;
            tagIds: string[] | null;
            /** @description UUID */
            groupId: string;
            /** @description A connector */
            from: string;
            /** @description The other connector */
            to: string;
            /** @description registered → in-deployment → deployed → delivered; error: deploy again */
            state: "registered" | "in-deployment" | "deployed" | "delivered" | "error";
            /** @example 2026-11-14 09:30:00.123456 +0000 UTC */
            created_at: string;
            /** @example 2026-11-14 09:30:00.123456 +0000 UTC */
            updated_at: string;
        };
        /** Link */
        Link: {
            /** @description UUID */
            id: string;
            irn: string;
            name: string;
            description: string | null;
            tagIds: string[] | null;
            /** @description UUID */
            groupId: string;
            /** @description A connector */
            from: string;
            /** @description The other connector */
            to: string;
            /** @description registered → in-deployment → deployed → delivered; error: deploy again */
            state: "registered" | "in-deployment" | "deployed" | "delivered" | "error";
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description UTC, with microseconds
             * @example 2026-11-14T09:30:00.123456Z
             */
            updatedAt: string;
        };
        /** MetricDescriptor */
        MetricDescriptor: {
            name: string;
            type: "timeserie" | "status";
        };
        /** MetricTimeserie */
        MetricTimeserie: {
            /** @constant */
            type: "timeserie";
            measure: string;
            /** @description By column name */
            axis: {
                [key: string]: {
                    unit: string;
                    title: string;
                };
            };
            Results: {
                Series: {
                    name: string;
                    /** @description The first column is time */
                    columns: string[];
                    values: (string | number)[][];
                    /** @description simulated, lab, written, or the name of the metric engine */
                    origin: string;
                }[] | null;
                Messages: null;
            }[];
        };
        /** MetricStatus */
        MetricStatus: {
            /** @constant */
            type: "JSONSchemeForConnectors";
            results: {
                data: {
                    bgpName: string;
                    /** @description 0 OK, 1 warning, 2 critical, 3 unknown */
                    bgpStatus: number;
                    hostName: string;
                    /** @description 0 OK, 1 warning, 2 critical, 3 unknown */
                    hostStatus: number;
                };
            }[];
        };
        /** MetricsHealth */
        MetricsHealth: {
            status: number;
            body: string;
        };
        /** CapacityReport */
        CapacityReport: {
            /** @description UUID */
            organizationID: string;
            name: string;
            regionalMetrics: {
                serviceRegion: string;
                /** @description Bits per second */
                allocated: number;
                /** @description Bits per second */
                subscribed: number;
                /** @description Bits per second */
                used: number;
            }[];
            groups: {
                /** @description UUID */
                groupID: string;
                name: string;
                regionalMetrics: {
                    serviceRegion: string;
                    /** @description Bits per second */
                    allocated: number;
                    /** @description Bits per second */
                    used: number;
                }[];
            }[];
            childrenOrganizations: components["schemas"]["CapacityReport"][];
        };
        /** Liveness */
        Liveness: {
            status: string;
            version: string;
            commit: string;
        };
        /** State */
        State: {
            status: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postAuthToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "password",
                 *       "scope": "everything",
                 *       "username": "admin@meridian.example",
                 *       "password": "patchbay demo passphrase"
                 *     }
                 */
                "application/json": {
                    /** @description password, refresh_token, or client_credentials (with scope reset) */
                    grant_type: string;
                    /** @description everything; reset to request a reset mail */
                    scope?: string;
                    /** @description The user's e-mail address */
                    username?: string;
                    /** @description With grant_type password */
                    password?: string;
                    /** @description With grant_type refresh_token */
                    refresh_token?: string;
                };
                "application/x-www-form-urlencoded": {
                    /** @description password, refresh_token, or client_credentials (with scope reset) */
                    grant_type: string;
                    /** @description everything; reset to request a reset mail */
                    scope?: string;
                    /** @description The user's e-mail address */
                    username?: string;
                    /** @description With grant_type password */
                    password?: string;
                    /** @description With grant_type refresh_token */
                    refresh_token?: string;
                };
            };
        };
        responses: {
            /** @description Tokens, or the status of the reset request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "pba_…",
                     *       "expires_in": 3600,
                     *       "refresh_token": "pbr_…",
                     *       "scope": "everything",
                     *       "token_type": "Bearer"
                     *     }
                     */
                    "application/json": components["schemas"]["Tokens"] | components["schemas"]["ResetRequested"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAuthReset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "scope": "reset",
                 *       "username": "admin@meridian.example"
                 *     }
                 */
                "application/json": {
                    /** @description password, refresh_token, or client_credentials (with scope reset) */
                    grant_type: string;
                    /** @description everything; reset to request a reset mail */
                    scope?: string;
                    /** @description The user's e-mail address */
                    username?: string;
                    /** @description With grant_type password */
                    password?: string;
                    /** @description With grant_type refresh_token */
                    refresh_token?: string;
                };
            };
        };
        responses: {
            /** @description Requested */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "If this address belongs to a user, a mail with a reset token is on its way."
                     *     }
                     */
                    "application/json": components["schemas"]["ResetRequested"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postPortalSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "admin@meridian.example",
                 *       "password": "patchbay demo passphrase"
                 *     }
                 */
                "application/json": {
                    /** @description The user's e-mail address */
                    username: string;
                    /** @description The password */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Signed in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "pba_…",
                     *       "expiresIn": 3600,
                     *       "userId": "018f2c1e-7a5b-7c3d-9e4f-1a2b3c4d5e6f"
                     *     }
                     */
                    "application/json": components["schemas"]["BrowserSession"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postPortalSessionRenew: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "isUsed": true
                 *     }
                 */
                "application/json": {
                    /** @description false: the page was not used since the last renewal, and the session is not extended */
                    isUsed?: boolean;
                };
            };
        };
        responses: {
            /** @description A token, or null without a session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "pba_…",
                     *       "expiresIn": 3600,
                     *       "userId": "018f2c1e-7a5b-7c3d-9e4f-1a2b3c4d5e6f"
                     *     }
                     */
                    "application/json": components["schemas"]["BrowserSession"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postPortalSessionEnd: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "everywhere": true
                 *     }
                 */
                "application/json": {
                    /** @description Every session of this user */
                    everywhere?: boolean;
                };
            };
        };
        responses: {
            /** @description Signed out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postPortalSessionReset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "admin@meridian.example"
                 *     }
                 */
                "application/json": {
                    /** @description The user's e-mail address */
                    username: string;
                };
            };
        };
        responses: {
            /** @description Requested */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "If this address belongs to a user, a mail with a reset token is on its way."
                     *     }
                     */
                    "application/json": components["schemas"]["ResetRequested"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMeInfo: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user behind the token */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "number": 17,
                     *       "firstName": "Mara",
                     *       "lastName": "Lindqvist",
                     *       "email": "mara.lindqvist@meridian.example",
                     *       "role": "operator",
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "enabled": true,
                     *       "contact": {
                     *         "phone": "+46 8 555 010 17",
                     *         "site": "Stockholm"
                     *       },
                     *       "preference": {
                     *         "language": "en"
                     *       },
                     *       "login": {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T10:00:00.000000Z",
                     *         "userId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "firstLoginAt": "2026-11-14T10:00:00.000000Z",
                     *         "numberLogin": 1,
                     *         "numberFaileLogin": 0,
                     *         "lastLoginAt": "2026-11-14T10:00:00.000000Z",
                     *         "lastFailedLoginAt": null,
                     *         "userAgentFirstLogin": "curl/8.5.0",
                     *         "ipFirstLogin": "192.0.2.17"
                     *       },
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *       "firstname": "Mara",
                     *       "lastname": "Lindqvist"
                     *     }
                     */
                    "application/json": components["schemas"]["CurrentUser"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putMeInfo: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "preference": {
                 *         "language": "fr"
                 *       }
                 *     }
                 */
                "application/json": {
                    email?: string;
                    firstName?: components["schemas"]["FirstName.change"];
                    lastName?: string;
                    /** @description 12 to 128 characters, hard to guess */
                    password?: string;
                    contact?: components["schemas"]["Contact"] | null;
                    preference?: components["schemas"]["Preference"] | null;
                    /** @description Required to change your own password or e-mail address, except with a reset token */
                    currentPassword?: string;
                    firstname?: components["schemas"]["FirstName.change"];
                    lastname?: string;
                };
            };
        };
        responses: {
            /** @description The changed user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "number": 17,
                     *       "firstName": "Mara",
                     *       "lastName": "Lindqvist",
                     *       "email": "mara.lindqvist@meridian.example",
                     *       "role": "operator",
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "enabled": true,
                     *       "contact": {
                     *         "phone": "+46 8 555 010 17",
                     *         "site": "Stockholm"
                     *       },
                     *       "preference": {
                     *         "language": "en"
                     *       },
                     *       "login": {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T10:00:00.000000Z",
                     *         "userId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "firstLoginAt": "2026-11-14T10:00:00.000000Z",
                     *         "numberLogin": 1,
                     *         "numberFaileLogin": 0,
                     *         "lastLoginAt": "2026-11-14T10:00:00.000000Z",
                     *         "lastFailedLoginAt": null,
                     *         "userAgentFirstLogin": "curl/8.5.0",
                     *         "ipFirstLogin": "192.0.2.17"
                     *       },
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *       "firstname": "Mara",
                     *       "lastname": "Lindqvist"
                     *     }
                     */
                    "application/json": components["schemas"]["CurrentUser"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMePermissions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The role and its operations */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "role": "operator",
                     *       "operations": [
                     *         {
                     *           "method": "GET",
                     *           "path": "/me/info"
                     *         },
                     *         {
                     *           "method": "PUT",
                     *           "path": "/me/info"
                     *         },
                     *         {
                     *           "method": "GET",
                     *           "path": "/groups/{groupId}"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Permissions"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUsers: {
        parameters: {
            query?: {
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Users of the organisation */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "number": 17,
                     *         "firstName": "Mara",
                     *         "lastName": "Lindqvist",
                     *         "email": "mara.lindqvist@meridian.example",
                     *         "role": "operator",
                     *         "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "enabled": true,
                     *         "contact": {
                     *           "phone": "+46 8 555 010 17",
                     *           "site": "Stockholm"
                     *         },
                     *         "preference": {
                     *           "language": "en"
                     *         },
                     *         "login": {
                     *           "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *           "createdAt": "2026-11-14T09:30:00.123456Z",
                     *           "updatedAt": "2026-11-14T10:00:00.000000Z",
                     *           "userId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *           "firstLoginAt": "2026-11-14T10:00:00.000000Z",
                     *           "numberLogin": 1,
                     *           "numberFaileLogin": 0,
                     *           "lastLoginAt": "2026-11-14T10:00:00.000000Z",
                     *           "lastFailedLoginAt": null,
                     *           "userAgentFirstLogin": "curl/8.5.0",
                     *           "ipFirstLogin": "192.0.2.17"
                     *         },
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["User"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postUsers: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ines.moreau@meridian.example",
                 *       "lastName": "Moreau",
                 *       "firstName": "Ines",
                 *       "password": "tidal lantern orbit cedar",
                 *       "role": "operator"
                 *     }
                 */
                "application/json": {
                    email: string;
                    lastName: string;
                    /** @description 12 to 128 characters, hard to guess */
                    password: string;
                    firstName?: string | null;
                    contact?: components["schemas"]["Contact"] | null;
                    preference?: components["schemas"]["Preference"] | null;
                    /** @description A role of GET /acl/roles; viewer when absent */
                    role?: string;
                };
            };
        };
        responses: {
            /** @description The new user */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "number": 17,
                     *       "firstName": "Mara",
                     *       "lastName": "Lindqvist",
                     *       "email": "mara.lindqvist@meridian.example",
                     *       "role": "operator",
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "enabled": true,
                     *       "contact": {
                     *         "phone": "+46 8 555 010 17",
                     *         "site": "Stockholm"
                     *       },
                     *       "preference": {
                     *         "language": "en"
                     *       },
                     *       "login": {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T10:00:00.000000Z",
                     *         "userId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "firstLoginAt": "2026-11-14T10:00:00.000000Z",
                     *         "numberLogin": 1,
                     *         "numberFaileLogin": 0,
                     *         "lastLoginAt": "2026-11-14T10:00:00.000000Z",
                     *         "lastFailedLoginAt": null,
                     *         "userAgentFirstLogin": "curl/8.5.0",
                     *         "ipFirstLogin": "192.0.2.17"
                     *       },
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUsersUserId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "number": 17,
                     *       "firstName": "Mara",
                     *       "lastName": "Lindqvist",
                     *       "email": "mara.lindqvist@meridian.example",
                     *       "role": "operator",
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "enabled": true,
                     *       "contact": {
                     *         "phone": "+46 8 555 010 17",
                     *         "site": "Stockholm"
                     *       },
                     *       "preference": {
                     *         "language": "en"
                     *       },
                     *       "login": {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T10:00:00.000000Z",
                     *         "userId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "firstLoginAt": "2026-11-14T10:00:00.000000Z",
                     *         "numberLogin": 1,
                     *         "numberFaileLogin": 0,
                     *         "lastLoginAt": "2026-11-14T10:00:00.000000Z",
                     *         "lastFailedLoginAt": null,
                     *         "userAgentFirstLogin": "curl/8.5.0",
                     *         "ipFirstLogin": "192.0.2.17"
                     *       },
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putUsersUserId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "role": "viewer",
                 *       "contact": {
                 *         "phone": "+46 8 555 010 18"
                 *       }
                 *     }
                 */
                "application/json": {
                    email?: string;
                    firstName?: components["schemas"]["FirstName.change"];
                    lastName?: string;
                    /** @description 12 to 128 characters, hard to guess */
                    password?: string;
                    contact?: components["schemas"]["Contact"] | null;
                    preference?: components["schemas"]["Preference"] | null;
                    /** @description Required to change your own password or e-mail address, except with a reset token */
                    currentPassword?: string;
                    role?: string;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description The changed user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "number": 17,
                     *       "firstName": "Mara",
                     *       "lastName": "Lindqvist",
                     *       "email": "mara.lindqvist@meridian.example",
                     *       "role": "operator",
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "enabled": true,
                     *       "contact": {
                     *         "phone": "+46 8 555 010 17",
                     *         "site": "Stockholm"
                     *       },
                     *       "preference": {
                     *         "language": "en"
                     *       },
                     *       "login": {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T10:00:00.000000Z",
                     *         "userId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "firstLoginAt": "2026-11-14T10:00:00.000000Z",
                     *         "numberLogin": 1,
                     *         "numberFaileLogin": 0,
                     *         "lastLoginAt": "2026-11-14T10:00:00.000000Z",
                     *         "lastFailedLoginAt": null,
                     *         "userAgentFirstLogin": "curl/8.5.0",
                     *         "ipFirstLogin": "192.0.2.17"
                     *       },
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteUsersUserId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted, with all sessions and tokens */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAclUsersIdPolicies: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Policies in force for the user */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "act": "GET",
                     *         "eft": "allow",
                     *         "obj": "/audit",
                     *         "res": "audit:read:organisation"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Policy"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUsersUserIdTokens: {
        parameters: {
            query?: {
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tokens of the user */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "name": "terraform",
                     *         "comment": "pipeline of the network team",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "expiresIn": 86400,
                     *         "userId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["PersonalToken"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteUsersUserIdTokensTokenId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                userId: string;
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked; the token is no longer valid */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPersonalTokens: {
        parameters: {
            query?: {
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your tokens */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "name": "terraform",
                     *         "comment": "pipeline of the network team",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "expiresIn": 86400,
                     *         "userId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["PersonalToken"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postPersonalTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "terraform",
                 *       "comment": "pipeline of the network team",
                 *       "expiresIn": 86400
                 *     }
                 */
                "application/json": {
                    name: string;
                    comment?: string | null;
                    /** @description Lifetime in seconds */
                    expiresIn: number;
                };
            };
        };
        responses: {
            /** @description The new token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "accessToken": "pbp_…",
                     *       "expiresIn": 86400,
                     *       "scope": "everything",
                     *       "tokenType": "Bearer",
                     *       "access_token": "pbp_…",
                     *       "expires_in": 86400,
                     *       "token_type": "Bearer"
                     *     }
                     */
                    "application/json": components["schemas"]["NewPersonalToken"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deletePersonalTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deletePersonalTokensTokenId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted; the token is no longer valid */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOrganisations: {
        parameters: {
            query?: {
                /** @description column[,ASC|DESC], repeatable; columns: name, createdAt, updatedAt */
                sort?: string[];
                /** @description Records to pass over; a multiple of limit. */
                offset?: number;
                /** @description Records at the most. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Direct children of the organisation */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "name": "Atlas Retail",
                     *         "address": {
                     *           "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *           "createdAt": "2026-11-14T09:30:00.123456Z",
                     *           "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *           "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *           "street": "12 Quai des Docks",
                     *           "city": "Marseille",
                     *           "zipcode": "13002",
                     *           "country": "France"
                     *         },
                     *         "invoice": {
                     *           "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a12",
                     *           "createdAt": "2026-11-14T09:30:00.123456Z",
                     *           "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *           "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *           "tvasubjection": true,
                     *           "tvanumber": "FR 32 123456789",
                     *           "tvaintra": null
                     *         },
                     *         "phone": "+33 4 91 55 01 00",
                     *         "parentId": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *         "parent_id": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *         "reseller": false,
                     *         "capacities": null,
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Organisation"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postOrganisations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Atlas Retail",
                 *       "admin": {
                 *         "email": "admin@atlas.example",
                 *         "lastName": "Okafor",
                 *         "firstName": "Chidi"
                 *       }
                 *     }
                 */
                "application/json": {
                    name: string;
                    /** @description May have children of its own; cannot be changed later */
                    reseller?: boolean;
                    phone?: string | null;
                    address?: {
                        street?: string | null;
                        city?: string | null;
                        zipcode?: string | null;
                        country?: string | null;
                    } | null;
                    invoice?: {
                        tvasubjection?: boolean | null;
                        tvanumber?: string | null;
                        tvaintra?: string | null;
                    } | null;
                    /** @description Its first admin; without a password, a reset token is sent by mail */
                    admin?: {
                        email: string;
                        lastName: string;
                        firstName?: string | null;
                        /** @description 12 to 128 characters, hard to guess */
                        password?: string;
                    };
                };
            };
        };
        responses: {
            /** @description The new organisation */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "name": "Atlas Retail",
                     *       "address": {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *         "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "street": "12 Quai des Docks",
                     *         "city": "Marseille",
                     *         "zipcode": "13002",
                     *         "country": "France"
                     *       },
                     *       "invoice": {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a12",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *         "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "tvasubjection": true,
                     *         "tvanumber": "FR 32 123456789",
                     *         "tvaintra": null
                     *       },
                     *       "phone": "+33 4 91 55 01 00",
                     *       "parentId": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "parent_id": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "reseller": false,
                     *       "capacities": null,
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Organisation"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOrganisationsOrganisationId: {
        parameters: {
            query?: {
                /** @description Records to pass over; a multiple of limit. */
                offset?: number;
                /** @description Records at the most. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                organisationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organisation with its children */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "name": "Atlas Retail",
                     *       "address": {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *         "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "street": "12 Quai des Docks",
                     *         "city": "Marseille",
                     *         "zipcode": "13002",
                     *         "country": "France"
                     *       },
                     *       "invoice": {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a12",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *         "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "tvasubjection": true,
                     *         "tvanumber": "FR 32 123456789",
                     *         "tvaintra": null
                     *       },
                     *       "phone": "+33 4 91 55 01 00",
                     *       "parentId": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "parent_id": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "reseller": false,
                     *       "capacities": null,
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *       "children": [
                     *         {
                     *           "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *           "name": "Atlas Labs",
                     *           "reseller": false,
                     *           "childrenCount": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OrganisationWithChildren"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putOrganisationsOrganisationId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                organisationId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "phone": "+33 4 91 55 01 01",
                 *       "address": {
                 *         "street": "14 Quai des Docks"
                 *       }
                 *     }
                 */
                "application/json": {
                    name?: string;
                    phone?: string | null;
                    address?: {
                        street?: string | null;
                        city?: string | null;
                        zipcode?: string | null;
                        country?: string | null;
                    } | null;
                    invoice?: {
                        tvasubjection?: boolean | null;
                        tvanumber?: string | null;
                        tvaintra?: string | null;
                    } | null;
                };
            };
        };
        responses: {
            /** @description The changed organisation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "name": "Atlas Retail",
                     *       "address": {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *         "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "street": "12 Quai des Docks",
                     *         "city": "Marseille",
                     *         "zipcode": "13002",
                     *         "country": "France"
                     *       },
                     *       "invoice": {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a12",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *         "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "tvasubjection": true,
                     *         "tvanumber": "FR 32 123456789",
                     *         "tvaintra": null
                     *       },
                     *       "phone": "+33 4 91 55 01 00",
                     *       "parentId": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "parent_id": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "reseller": false,
                     *       "capacities": null,
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Organisation"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAclRoles: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The roles of the organisation */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "role": "auditor",
                     *         "policies": [
                     *           {
                     *             "act": "GET",
                     *             "eft": "allow",
                     *             "obj": "/audit",
                     *             "res": "audit:read:organisation"
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Role"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postAclRoles: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "auditor",
                 *       "policies": [
                 *         {
                 *           "act": "GET",
                 *           "eft": "allow",
                 *           "obj": "/audit",
                 *           "res": "audit:read:organisation"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    role: string;
                    policies: components["schemas"]["Policy"][];
                };
            };
        };
        responses: {
            /** @description The new role */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "role": "auditor",
                     *       "policies": [
                     *         {
                     *           "act": "GET",
                     *           "eft": "allow",
                     *           "obj": "/audit",
                     *           "res": "audit:read:organisation"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAclRolesRoleName: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                roleName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The role */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "role": "auditor",
                     *       "policies": [
                     *         {
                     *           "act": "GET",
                     *           "eft": "allow",
                     *           "obj": "/audit",
                     *           "res": "audit:read:organisation"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putAclRolesRoleName: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                roleName: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "role": "auditor",
                 *       "policies": [
                 *         {
                 *           "act": "GET",
                 *           "eft": "allow",
                 *           "obj": "/audit",
                 *           "res": "audit:read:organisation"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    role?: string;
                    policies?: components["schemas"]["Policy"][];
                };
            };
        };
        responses: {
            /** @description The changed role */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "role": "auditor",
                     *       "policies": [
                     *         {
                     *           "act": "GET",
                     *           "eft": "allow",
                     *           "obj": "/audit",
                     *           "res": "audit:read:organisation"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteAclRolesRoleName: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                roleName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAudit: {
        parameters: {
            query?: {
                /** @description Only this action */
                action?: "create" | "update" | "delete" | "deploy" | "sign-in" | "sign-in-refused" | "lock" | "reset-asked" | "reset" | "sign-out" | "refresh-reused";
                /** @description Only records of this family, such as user, or session */
                serviceType?: string;
                /** @description Only writes of this user */
                userID?: string;
                /** @description From this time on (RFC 3339) */
                "start-d"?: string;
                /** @description Before this time (RFC 3339) */
                "end-d"?: string;
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Audit records, newest first */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "action": "create",
                     *         "clientIP": "192.0.2.17",
                     *         "organisationID": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "serviceIRN": "irn:user:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *         "serviceName": "Ines Moreau",
                     *         "serviceType": "user",
                     *         "userID": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "userName": "Mara Lindqvist",
                     *         "userAgent": null,
                     *         "onBehalf": null,
                     *         "changes": null,
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AuditRecord"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRegions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The seven regions */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "name": "Europe",
                     *         "slug": "europe",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Region"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCities: {
        parameters: {
            query?: {
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cities, by name */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "country": "Netherlands",
                     *         "locode": "NLAMS",
                     *         "name": "Amsterdam",
                     *         "slacity": "amsterdam",
                     *         "state": null,
                     *         "zipcode": 1012
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["City"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCloudGatewaysTypes: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Destinations, by family and city */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "cloudGatewayTypes": [
                     *         {
                     *           "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *           "cspCity": "Frankfurt",
                     *           "family": {
                     *             "id": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *             "shortName": "providerA"
                     *           },
                     *           "region": "europe",
                     *           "slacity": "frankfurt-am-main",
                     *           "edgeCode": "FRA1",
                     *           "longitude": 8.68,
                     *           "latitude": 50.11
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        cloudGatewayTypes: components["schemas"]["Destination"][];
                    };
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCloudDestinationFamilies: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Families, by name */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "cloudDestinationFamilies": [
                     *         {
                     *           "id": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *           "shortName": "providerA"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        cloudDestinationFamilies: components["schemas"]["Family"][];
                    };
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOrganisationsOrganisationIdProducts: {
        parameters: {
            query?: {
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                organisationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Products */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "family": "providerA",
                     *         "serviceRegion": "europe",
                     *         "service": "connector",
                     *         "type": "cloudGateway",
                     *         "total": 10,
                     *         "used": 4
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Product"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOrganisationsOrganisationIdProductsShortnameServiceRegion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                organisationId: string;
                shortname: string;
                serviceRegion: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The product */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "family": "providerA",
                     *       "serviceRegion": "europe",
                     *       "service": "connector",
                     *       "type": "cloudGateway",
                     *       "total": 10,
                     *       "used": 4
                     *     }
                     */
                    "application/json": components["schemas"]["Product"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putOrganisationsOrganisationIdProductsShortnameServiceRegion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                organisationId: string;
                shortname: string;
                serviceRegion: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "total": 10
                 *     }
                 */
                "application/json": {
                    total: number;
                };
            };
        };
        responses: {
            /** @description The product */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "family": "providerA",
                     *       "serviceRegion": "europe",
                     *       "service": "connector",
                     *       "type": "cloudGateway",
                     *       "total": 10,
                     *       "used": 4
                     *     }
                     */
                    "application/json": components["schemas"]["Product"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOrganisationsOrganisationIdCapacities: {
        parameters: {
            query?: {
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                organisationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Subscribed capacities */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "capacity": 10000000000,
                     *         "duration": 36,
                     *         "isRegional": true,
                     *         "region1Id": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "region2Id": null,
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SubscribedCapacity"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postOrganisationsOrganisationIdCapacities: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                organisationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "capacity": 10000000000,
                 *       "duration": 36,
                 *       "region1Id": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10"
                 *     }
                 */
                "application/json": {
                    /** @description Whole bits per second */
                    capacity: number;
                    /** @description Months */
                    duration: number;
                    /** @description A region of GET /regions */
                    region1Id: string;
                    region2Id?: string | null;
                };
            };
        };
        responses: {
            /** @description The new capacity */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "capacity": 10000000000,
                     *       "duration": 36,
                     *       "isRegional": true,
                     *       "region1Id": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "region2Id": null,
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SubscribedCapacity"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOrganisationsOrganisationIdCapacitiesCapacityId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                organisationId: string;
                capacityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The capacity */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "capacity": 10000000000,
                     *       "duration": 36,
                     *       "isRegional": true,
                     *       "region1Id": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "region2Id": null,
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SubscribedCapacity"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putOrganisationsOrganisationIdCapacitiesCapacityId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                organisationId: string;
                capacityId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "capacity": 20000000000
                 *     }
                 */
                "application/json": {
                    /** @description Whole bits per second */
                    capacity?: number;
                    /** @description Months */
                    duration?: number;
                };
            };
        };
        responses: {
            /** @description The changed capacity */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "capacity": 10000000000,
                     *       "duration": 36,
                     *       "isRegional": true,
                     *       "region1Id": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "region2Id": null,
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SubscribedCapacity"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteOrganisationsOrganisationIdCapacitiesCapacityId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                organisationId: string;
                capacityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCapacitiesAvailable: {
        parameters: {
            query?: {
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is left of each */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "subscribedCapacityId": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "availableCapacity": 7500000000
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AvailableCapacity"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCapacitiesAvailableSubscribedCapacityId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                subscribedCapacityId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is left of it */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscribedCapacityId": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "availableCapacity": 7500000000
                     *     }
                     */
                    "application/json": components["schemas"]["AvailableCapacity"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getGroups: {
        parameters: {
            query?: {
                /** @description column[,ASC|DESC], repeatable; columns: name, createdAt, updatedAt */
                sort?: string[];
                /** @description A part of its name or description, in any case; or the beginning of its resource name (irn:…) */
                search?: string;
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Groups */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "irn": "irn:group:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *         "name": "payments-eu",
                     *         "description": "Card traffic between the stores and the clouds",
                     *         "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "organisationid": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "allocatedCapacity": 2500000000,
                     *         "tagIds": null,
                     *         "countConnectors": 3,
                     *         "countFlowConnectors": 2,
                     *         "countLinks": 2,
                     *         "countFlowLinks": 2,
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Group"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postGroups: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "payments-eu",
                 *       "description": "Card traffic between the stores and the clouds"
                 *     }
                 */
                "application/json": {
                    name: string;
                    description?: string | null;
                    tagIds?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The new group */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:group:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "name": "payments-eu",
                     *       "description": "Card traffic between the stores and the clouds",
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "organisationid": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "allocatedCapacity": 2500000000,
                     *       "tagIds": null,
                     *       "countConnectors": 3,
                     *       "countFlowConnectors": 2,
                     *       "countLinks": 2,
                     *       "countFlowLinks": 2,
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getGroupsGroupId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The group */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:group:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "name": "payments-eu",
                     *       "description": "Card traffic between the stores and the clouds",
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "organisationid": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "allocatedCapacity": 2500000000,
                     *       "tagIds": null,
                     *       "countConnectors": 3,
                     *       "countFlowConnectors": 2,
                     *       "countLinks": 2,
                     *       "countFlowLinks": 2,
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putGroupsGroupId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "description": "Card traffic, and the tills"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    description?: string | null;
                    tagIds?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The changed group */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:group:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "name": "payments-eu",
                     *       "description": "Card traffic between the stores and the clouds",
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "organisationid": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "allocatedCapacity": 2500000000,
                     *       "tagIds": null,
                     *       "countConnectors": 3,
                     *       "countFlowConnectors": 2,
                     *       "countLinks": 2,
                     *       "countFlowLinks": 2,
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteGroupsGroupId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no such group any more */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getGroupsGroupIdCapacities: {
        parameters: {
            query?: {
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its allocations */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *         "irn": "irn:capacity:k3x9m2p7q1za::8y1k3f0v1c9r2b7q5d8w4n1ab",
                     *         "groupId": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "capacityId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "allocation": 2500000000,
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["GroupCapacityAllocation"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postGroupsGroupIdCapacities: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "capacityId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                 *       "allocation": 2500000000
                 *     }
                 */
                "application/json": {
                    /** @description A subscribed capacity */
                    capacityId: string;
                    /** @description Whole bits per second */
                    allocation: number;
                };
            };
        };
        responses: {
            /** @description The new allocation */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "irn": "irn:capacity:k3x9m2p7q1za::8y1k3f0v1c9r2b7q5d8w4n1ab",
                     *       "groupId": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "capacityId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "allocation": 2500000000,
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GroupCapacityAllocation"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putGroupsGroupIdCapacitiesAllocationId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                groupId: string;
                allocationId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "allocation": 3000000000
                 *     }
                 */
                "application/json": {
                    /** @description Whole bits per second */
                    allocation?: number;
                };
            };
        };
        responses: {
            /** @description The changed allocation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "irn": "irn:capacity:k3x9m2p7q1za::8y1k3f0v1c9r2b7q5d8w4n1ab",
                     *       "groupId": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "capacityId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "allocation": 2500000000,
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["GroupCapacityAllocation"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteGroupsGroupIdCapacitiesAllocationId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                groupId: string;
                allocationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTags: {
        parameters: {
            query?: {
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tags */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "name": "production",
                     *         "description": "Carries customers’ traffic",
                     *         "color": "#1f7a4d",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Tag"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postTags: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "production",
                 *       "color": "#1f7a4d"
                 *     }
                 */
                "application/json": {
                    name: string;
                    description?: string | null;
                    color?: string | null;
                };
            };
        };
        responses: {
            /** @description The new tag */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "name": "production",
                     *       "description": "Carries customers’ traffic",
                     *       "color": "#1f7a4d",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tag"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTagsTagId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                tagId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tag */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "name": "production",
                     *       "description": "Carries customers’ traffic",
                     *       "color": "#1f7a4d",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tag"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putTagsTagId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                tagId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "color": "#7a1f4d"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    description?: string | null;
                    color?: string | null;
                };
            };
        };
        responses: {
            /** @description The changed tag */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "name": "production",
                     *       "description": "Carries customers’ traffic",
                     *       "color": "#1f7a4d",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tag"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteTagsTagId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                tagId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCloudAppliances: {
        parameters: {
            query?: {
                /** @description Without routing appliances */
                cloudApplianceOnly?: boolean;
                /** @description Without cloud appliances */
                routingApplianceOnly?: boolean;
                /** @description Only appliances that have one of these virtual interfaces; separated by commas, or repeated */
                virtualInterfacesIds?: string[];
                /** @description column[,ASC|DESC], repeatable; columns: name, siteName, createdAt, updatedAt */
                sort?: string[];
                /** @description A part of its name, site or city, in any case; or the beginning of its resource name (irn:…) */
                search?: string;
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Appliances, each with its virtual interfaces */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "irn": "irn:cpe:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *         "name": "cpe-par-01",
                     *         "description": null,
                     *         "kind": "cloudAppliance",
                     *         "tagIds": null,
                     *         "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "siteName": "Paris, Bercy",
                     *         "slacity": "paris",
                     *         "region": "europe",
                     *         "cloudApplianceModelID": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *         "cloudApplianceModel": {
                     *           "id": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *           "createdAt": "2026-11-14T09:30:00.123456Z",
                     *           "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *           "modelName": "Edge 1000",
                     *           "maxCapacity": "1Gbps",
                     *           "connectorsNumber": 16,
                     *           "dualPowered": true,
                     *           "flowtypes": "l3",
                     *           "vendor": "Patchbay Hardware",
                     *           "type": "router",
                     *           "uplinkMedia": "1000BASE-LX"
                     *         },
                     *         "custCloudApplianceInterface": "ge-0/0/1",
                     *         "svcCloudApplianceInterface": "xe-0/1/0",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *         "cloudVirtualInterfaces": [
                     *           {
                     *             "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *             "irn": "irn:cloudgateway:k3x9m2p7q1za:entreprise:6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *             "cloudApplianceId": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *             "GatewayID": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *             "name": "lyon-store-04",
                     *             "description": "Lyon, Part-Dieu",
                     *             "tagIds": [],
                     *             "cmeIfDescription": "lyon-store-04 (VLAN 204)",
                     *             "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *             "linkedEntrepriseConnectorName": "lyon-store-04",
                     *             "custParameters": {
                     *               "bgpKey": null,
                     *               "gwAs": "64512",
                     *               "gwIP": "192.0.2.17",
                     *               "gwSubnetMask": "255.255.255.252",
                     *               "ipAddress": "192.0.2.17",
                     *               "peerAs": "64620",
                     *               "peerIP": "192.0.2.18",
                     *               "gwUnit": 204,
                     *               "vlanID": 204
                     *             },
                     *             "createdAt": "2026-11-14T09:30:00.123456Z",
                     *             "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ListedCloudAppliance"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postCloudAppliances: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "cpe-par-01",
                 *       "siteName": "Paris, Bercy",
                 *       "slacity": "paris",
                 *       "cloudApplianceModelID": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                 *       "kind": "cloudAppliance"
                 *     }
                 */
                "application/json": {
                    name: string;
                    siteName: string;
                    /** @description A city of GET /cities */
                    slacity: string;
                    /** @description A model of GET /cloud-appliance-models */
                    cloudApplianceModelID: string;
                    kind: "cloudAppliance" | "routingAppliance";
                    description?: string | null;
                    tagIds?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The new appliance */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:cpe:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "name": "cpe-par-01",
                     *       "description": null,
                     *       "kind": "cloudAppliance",
                     *       "tagIds": null,
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "siteName": "Paris, Bercy",
                     *       "slacity": "paris",
                     *       "region": "europe",
                     *       "cloudApplianceModelID": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *       "cloudApplianceModel": {
                     *         "id": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *         "modelName": "Edge 1000",
                     *         "maxCapacity": "1Gbps",
                     *         "connectorsNumber": 16,
                     *         "dualPowered": true,
                     *         "flowtypes": "l3",
                     *         "vendor": "Patchbay Hardware",
                     *         "type": "router",
                     *         "uplinkMedia": "1000BASE-LX"
                     *       },
                     *       "custCloudApplianceInterface": "ge-0/0/1",
                     *       "svcCloudApplianceInterface": "xe-0/1/0",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *       "cloudVirtualInterfaces": {
                     *         "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21": {
                     *           "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *           "irn": "irn:cloudgateway:k3x9m2p7q1za:entreprise:6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *           "cloudApplianceId": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *           "GatewayID": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *           "name": "lyon-store-04",
                     *           "description": "Lyon, Part-Dieu",
                     *           "tagIds": [],
                     *           "cmeIfDescription": "lyon-store-04 (VLAN 204)",
                     *           "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *           "linkedEntrepriseConnectorName": "lyon-store-04",
                     *           "custParameters": {
                     *             "bgpKey": null,
                     *             "gwAs": "64512",
                     *             "gwIP": "192.0.2.17",
                     *             "gwSubnetMask": "255.255.255.252",
                     *             "ipAddress": "192.0.2.17",
                     *             "peerAs": "64620",
                     *             "peerIP": "192.0.2.18",
                     *             "gwUnit": 204,
                     *             "vlanID": 204
                     *           },
                     *           "createdAt": "2026-11-14T09:30:00.123456Z",
                     *           "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CloudAppliance"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCloudAppliancesCloudAppliancesId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                cloudAppliancesId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The appliance, its virtual interfaces by their ids */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:cpe:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "name": "cpe-par-01",
                     *       "description": null,
                     *       "kind": "cloudAppliance",
                     *       "tagIds": null,
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "siteName": "Paris, Bercy",
                     *       "slacity": "paris",
                     *       "region": "europe",
                     *       "cloudApplianceModelID": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *       "cloudApplianceModel": {
                     *         "id": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *         "modelName": "Edge 1000",
                     *         "maxCapacity": "1Gbps",
                     *         "connectorsNumber": 16,
                     *         "dualPowered": true,
                     *         "flowtypes": "l3",
                     *         "vendor": "Patchbay Hardware",
                     *         "type": "router",
                     *         "uplinkMedia": "1000BASE-LX"
                     *       },
                     *       "custCloudApplianceInterface": "ge-0/0/1",
                     *       "svcCloudApplianceInterface": "xe-0/1/0",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *       "cloudVirtualInterfaces": {
                     *         "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21": {
                     *           "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *           "irn": "irn:cloudgateway:k3x9m2p7q1za:entreprise:6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *           "cloudApplianceId": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *           "GatewayID": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *           "name": "lyon-store-04",
                     *           "description": "Lyon, Part-Dieu",
                     *           "tagIds": [],
                     *           "cmeIfDescription": "lyon-store-04 (VLAN 204)",
                     *           "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *           "linkedEntrepriseConnectorName": "lyon-store-04",
                     *           "custParameters": {
                     *             "bgpKey": null,
                     *             "gwAs": "64512",
                     *             "gwIP": "192.0.2.17",
                     *             "gwSubnetMask": "255.255.255.252",
                     *             "ipAddress": "192.0.2.17",
                     *             "peerAs": "64620",
                     *             "peerIP": "192.0.2.18",
                     *             "gwUnit": 204,
                     *             "vlanID": 204
                     *           },
                     *           "createdAt": "2026-11-14T09:30:00.123456Z",
                     *           "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CloudAppliance"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putCloudAppliancesCloudAppliancesId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                cloudAppliancesId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "siteName": "Paris, Bercy 2"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    siteName?: string;
                    /** @description A model of GET /cloud-appliance-models */
                    cloudApplianceModelID?: string;
                    description?: string | null;
                    tagIds?: string[] | null;
                };
            };
        };
        responses: {
            /** @description The changed appliance */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:cpe:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "name": "cpe-par-01",
                     *       "description": null,
                     *       "kind": "cloudAppliance",
                     *       "tagIds": null,
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "siteName": "Paris, Bercy",
                     *       "slacity": "paris",
                     *       "region": "europe",
                     *       "cloudApplianceModelID": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *       "cloudApplianceModel": {
                     *         "id": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *         "modelName": "Edge 1000",
                     *         "maxCapacity": "1Gbps",
                     *         "connectorsNumber": 16,
                     *         "dualPowered": true,
                     *         "flowtypes": "l3",
                     *         "vendor": "Patchbay Hardware",
                     *         "type": "router",
                     *         "uplinkMedia": "1000BASE-LX"
                     *       },
                     *       "custCloudApplianceInterface": "ge-0/0/1",
                     *       "svcCloudApplianceInterface": "xe-0/1/0",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *       "cloudVirtualInterfaces": {
                     *         "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21": {
                     *           "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *           "irn": "irn:cloudgateway:k3x9m2p7q1za:entreprise:6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *           "cloudApplianceId": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *           "GatewayID": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *           "name": "lyon-store-04",
                     *           "description": "Lyon, Part-Dieu",
                     *           "tagIds": [],
                     *           "cmeIfDescription": "lyon-store-04 (VLAN 204)",
                     *           "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *           "linkedEntrepriseConnectorName": "lyon-store-04",
                     *           "custParameters": {
                     *             "bgpKey": null,
                     *             "gwAs": "64512",
                     *             "gwIP": "192.0.2.17",
                     *             "gwSubnetMask": "255.255.255.252",
                     *             "ipAddress": "192.0.2.17",
                     *             "peerAs": "64620",
                     *             "peerIP": "192.0.2.18",
                     *             "gwUnit": 204,
                     *             "vlanID": 204
                     *           },
                     *           "createdAt": "2026-11-14T09:30:00.123456Z",
                     *           "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CloudAppliance"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteCloudAppliancesCloudAppliancesId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                cloudAppliancesId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCloudAppliancesCloudAppliancesIdCloudVirtualInterfaces: {
        parameters: {
            query?: {
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                cloudAppliancesId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its virtual interfaces */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "irn": "irn:cloudgateway:k3x9m2p7q1za:entreprise:6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *         "cloudApplianceId": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "GatewayID": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *         "name": "lyon-store-04",
                     *         "description": "Lyon, Part-Dieu",
                     *         "tagIds": [],
                     *         "cmeIfDescription": "lyon-store-04 (VLAN 204)",
                     *         "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "linkedEntrepriseConnectorName": "lyon-store-04",
                     *         "custParameters": {
                     *           "bgpKey": null,
                     *           "gwAs": "64512",
                     *           "gwIP": "192.0.2.17",
                     *           "gwSubnetMask": "255.255.255.252",
                     *           "ipAddress": "192.0.2.17",
                     *           "peerAs": "64620",
                     *           "peerIP": "192.0.2.18",
                     *           "gwUnit": 204,
                     *           "vlanID": 204
                     *         },
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["CloudVirtualInterface"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCloudAppliancesCloudAppliancesIdCloudVirtualInterfacesCloudVirtualInterfacesId: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                cloudAppliancesId: string;
                cloudVirtualInterfacesId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The virtual interface */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "irn": "irn:cloudgateway:k3x9m2p7q1za:entreprise:6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "cloudApplianceId": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "GatewayID": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "name": "lyon-store-04",
                     *       "description": "Lyon, Part-Dieu",
                     *       "tagIds": [],
                     *       "cmeIfDescription": "lyon-store-04 (VLAN 204)",
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "linkedEntrepriseConnectorName": "lyon-store-04",
                     *       "custParameters": {
                     *         "bgpKey": null,
                     *         "gwAs": "64512",
                     *         "gwIP": "192.0.2.17",
                     *         "gwSubnetMask": "255.255.255.252",
                     *         "ipAddress": "192.0.2.17",
                     *         "peerAs": "64620",
                     *         "peerIP": "192.0.2.18",
                     *         "gwUnit": 204,
                     *         "vlanID": 204
                     *       },
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CloudVirtualInterface"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCloudApplianceModels: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Models, by name */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z",
                     *         "modelName": "Edge 1000",
                     *         "maxCapacity": "1Gbps",
                     *         "connectorsNumber": 16,
                     *         "dualPowered": true,
                     *         "flowtypes": "l3",
                     *         "vendor": "Patchbay Hardware",
                     *         "type": "router",
                     *         "uplinkMedia": "1000BASE-LX"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["CloudApplianceModel"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getConnectors: {
        parameters: {
            query?: {
                /** @description Of this group */
                groupID?: string;
                /** @description The same */
                groupId?: string;
                /** @description Of this family of providers */
                family?: string;
                /** @description To this destination */
                destinationID?: string;
                /** @description Resource name of a connector (its peers) or of a router (those on links that end there) */
                linkedTo?: string;
                /** @description In this city */
                slacity?: string;
                /** @description With all of these tags; separated by commas, or repeated */
                tags?: string[];
                /** @description On this edge */
                edgeCode?: string;
                /** @description OK: status 0; KO: any other */
                status?: "OK" | "KO";
                /** @description Only those imported from an earlier system */
                legacy?: "legacy";
                /** @description registered → in-deployment → deployed → delivered; error: deploy again */
                state?: "registered" | "in-deployment" | "deployed" | "delivered" | "error";
                /** @description column[,ASC|DESC], repeatable; columns: name, state, status, region, bandwidth, createdAt, updatedAt */
                sort?: string[];
                /** @description A part of its name, description or city, in any case; or the beginning of its resource name (irn:…); or one of its AS numbers (64710, AS64710) */
                search?: string;
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Connectors */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "irn": "irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *         "connectorType": "cloudGateway",
                     *         "connectorTypeId": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *         "name": "fra-analytics-01",
                     *         "description": "To Frankfurt, FRA1",
                     *         "tagIds": null,
                     *         "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "groupId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "region": "Europe",
                     *         "slug": "europe",
                     *         "longitude": 8.68,
                     *         "latitude": 50.11,
                     *         "routerIrn": "irn:ire:k3x9m2p7q1za::8y1k3f0v1c9r2b7q5d8w4n1ab",
                     *         "bgpDescriptions": [],
                     *         "routerInterface": [],
                     *         "bandwidth": 1000000000,
                     *         "kind": "single",
                     *         "state": "registered",
                     *         "status": 3,
                     *         "statusSince": "2026-11-14T09:30:00.123456Z",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Connector"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getConnectorsGroupGroupid: {
        parameters: {
            query?: {
                /** @description Only those created through the flow operations */
                flow?: "flow";
                /** @description Only those imported from an earlier system */
                legacy?: "legacy";
                /** @description column[,ASC|DESC], repeatable; columns: name, state, status, region, bandwidth, createdAt, updatedAt */
                sort?: string[];
                /** @description A part of its name, description or city, in any case; or the beginning of its resource name (irn:…); or one of its AS numbers (64710, AS64710) */
                search?: string;
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                groupid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its connectors */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "irn": "irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *         "connectorType": "cloudGateway",
                     *         "connectorTypeId": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *         "name": "fra-analytics-01",
                     *         "description": "To Frankfurt, FRA1",
                     *         "tagIds": null,
                     *         "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "groupId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "region": "Europe",
                     *         "slug": "europe",
                     *         "longitude": 8.68,
                     *         "latitude": 50.11,
                     *         "routerIrn": "irn:ire:k3x9m2p7q1za::8y1k3f0v1c9r2b7q5d8w4n1ab",
                     *         "bgpDescriptions": [],
                     *         "routerInterface": [],
                     *         "bandwidth": 1000000000,
                     *         "kind": "single",
                     *         "state": "registered",
                     *         "status": 3,
                     *         "statusSince": "2026-11-14T09:30:00.123456Z",
                     *         "createdAt": "2026-11-14T09:30:00.123456Z",
                     *         "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Connector"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getConnectorsConnid: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                connid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connector */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "connectorType": "cloudGateway",
                     *       "connectorTypeId": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "name": "fra-analytics-01",
                     *       "description": "To Frankfurt, FRA1",
                     *       "tagIds": null,
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "groupId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "region": "Europe",
                     *       "slug": "europe",
                     *       "longitude": 8.68,
                     *       "latitude": 50.11,
                     *       "routerIrn": "irn:ire:k3x9m2p7q1za::8y1k3f0v1c9r2b7q5d8w4n1ab",
                     *       "bgpDescriptions": [],
                     *       "routerInterface": [],
                     *       "bandwidth": 1000000000,
                     *       "kind": "single",
                     *       "state": "registered",
                     *       "status": 3,
                     *       "statusSince": "2026-11-14T09:30:00.123456Z",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Connector"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getConnectorsConnidPrefixes: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                connid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The prefixes */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "prefixes": [
                     *         {
                     *           "connectorId": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *           "connectorName": "fra-analytics-01",
                     *           "interface": "fra1-0017",
                     *           "isActive": true,
                     *           "localPreference": 100,
                     *           "nextHop": "100.64.0.2",
                     *           "path": "64710",
                     *           "prefix": "10.20.0.0/16",
                     *           "protocol": "BGP"
                     *         }
                     *       ],
                     *       "requestDate": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectorPrefixes"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getConnectorsConnidLookingGlass: {
        parameters: {
            query: {
                /** @description The command to run */
                command: "routes" | "neighbours" | "ping" | "traceroute";
                /** @description Target of ping and traceroute: an IPv4 address */
                target?: string;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                connid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The output, line by line */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "command": "ping",
                     *       "origin": "lab",
                     *       "lines": [
                     *         "10.0.58.1 : 84.2 84.1 84.3"
                     *       ],
                     *       "requestDate": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["LookingGlass"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postFlowConnectorSetRegistered: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "fra-analytics-01",
                 *       "groupId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                 *       "csp": {
                 *         "cloudDestinationID": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                 *         "providerA": {
                 *           "asNumber": 64710,
                 *           "providerAAccount": 123456789012
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    name: string;
                    description?: string | null;
                    tagIds?: string[] | null;
                    csp?: components["schemas"]["csp.create"] | null;
                    entreprise?: components["schemas"]["entreprise.create"] | null;
                    /** @description Another spelling of entreprise; send one of the two */
                    enterprise?: components["schemas"]["entreprise.create"] | null;
                } & ({
                    /** @description A group; groupID is accepted too */
                    groupId: string;
                } | {
                    /** @description Another spelling of groupId; send one of the two */
                    groupID: string;
                });
            };
        };
        responses: {
            /** @description The new connector */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "connectorType": "cloudGateway",
                     *       "connectorTypeId": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "name": "fra-analytics-01",
                     *       "description": "To Frankfurt, FRA1",
                     *       "tagIds": null,
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "groupId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "region": "Europe",
                     *       "slug": "europe",
                     *       "longitude": 8.68,
                     *       "latitude": 50.11,
                     *       "routerIrn": "irn:ire:k3x9m2p7q1za::8y1k3f0v1c9r2b7q5d8w4n1ab",
                     *       "bgpDescriptions": [],
                     *       "routerInterface": [],
                     *       "bandwidth": 1000000000,
                     *       "kind": "single",
                     *       "state": "registered",
                     *       "status": 3,
                     *       "statusSince": "2026-11-14T09:30:00.123456Z",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Connector"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postFlowConnectorAutoDeploy: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "fra-analytics-01",
                 *       "groupId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                 *       "csp": {
                 *         "cloudDestinationID": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                 *         "providerA": {
                 *           "asNumber": 64710,
                 *           "providerAAccount": 123456789012
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    name: string;
                    description?: string | null;
                    tagIds?: string[] | null;
                    csp?: components["schemas"]["csp.create"] | null;
                    entreprise?: components["schemas"]["entreprise.create"] | null;
                    /** @description Another spelling of entreprise; send one of the two */
                    enterprise?: components["schemas"]["entreprise.create"] | null;
                } & ({
                    /** @description A group; groupID is accepted too */
                    groupId: string;
                } | {
                    /** @description Another spelling of groupId; send one of the two */
                    groupID: string;
                });
            };
        };
        responses: {
            /** @description The new connector; while it is in-deployment, read its state again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "connectorType": "cloudGateway",
                     *       "connectorTypeId": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "name": "fra-analytics-01",
                     *       "description": "To Frankfurt, FRA1",
                     *       "tagIds": null,
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "groupId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "region": "Europe",
                     *       "slug": "europe",
                     *       "longitude": 8.68,
                     *       "latitude": 50.11,
                     *       "routerIrn": "irn:ire:k3x9m2p7q1za::8y1k3f0v1c9r2b7q5d8w4n1ab",
                     *       "bgpDescriptions": [],
                     *       "routerInterface": [],
                     *       "bandwidth": 1000000000,
                     *       "kind": "single",
                     *       "state": "delivered",
                     *       "status": 0,
                     *       "statusSince": "2026-11-14T09:30:00.123456Z",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Connector"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postFlowConnectorCheckName: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "fra-analytics-01"
                 *     }
                 */
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description The name is free */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "fra-analytics-01"
                     *     }
                     */
                    "application/json": {
                        name: string;
                    };
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postFlowConnectorCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "fra-analytics-01",
                 *       "groupId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                 *       "csp": {
                 *         "cloudDestinationID": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                 *         "providerA": {
                 *           "asNumber": 64710,
                 *           "providerAAccount": 123456789012
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    name: string;
                    description?: string | null;
                    tagIds?: string[] | null;
                    csp?: components["schemas"]["csp.create"] | null;
                    entreprise?: components["schemas"]["entreprise.create"] | null;
                    /** @description Another spelling of entreprise; send one of the two */
                    enterprise?: components["schemas"]["entreprise.create"] | null;
                } & ({
                    /** @description A group; groupID is accepted too */
                    groupId: string;
                } | {
                    /** @description Another spelling of groupId; send one of the two */
                    groupID: string;
                });
            };
        };
        responses: {
            /** @description It can be created */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "takes": {
                     *         "family": "providerA",
                     *         "region": "europe",
                     *         "total": 10,
                     *         "used": 4,
                     *         "spare": 6
                     *       },
                     *       "filledIn": {
                     *         "description": "To Frankfurt, FRA1",
                     *         "csp": {
                     *           "providerA": {
                     *             "platformAsNumber": 64512
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectorProspect"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFlowConnectorConnid: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                connid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Both models, and what you may do */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actions": [
                     *         "update",
                     *         "delete",
                     *         "deploy"
                     *       ],
                     *       "read": {
                     *         "name": "fra-analytics-01",
                     *         "description": "To Frankfurt, FRA1",
                     *         "groupId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "tagIds": null,
                     *         "csp": {
                     *           "cloudDestinationID": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *           "providerA": {
                     *             "providerAAddress": "100.64.0.1/30",
                     *             "asNumber": 64710,
                     *             "providerAAccount": 123456789012,
                     *             "customerAddress": "100.64.0.2/30",
                     *             "platformAsNumber": 64512,
                     *             "dxvif": null
                     *           }
                     *         },
                     *         "entreprise": null,
                     *         "irn": "irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *         "groupID": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21"
                     *       },
                     *       "write": {
                     *         "name": "fra-analytics-01",
                     *         "description": "To Frankfurt, FRA1",
                     *         "groupId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "tagIds": null,
                     *         "csp": {
                     *           "cloudDestinationID": "6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21",
                     *           "providerA": {
                     *             "providerAAddress": "100.64.0.1/30",
                     *             "asNumber": 64710,
                     *             "providerAAccount": 123456789012,
                     *             "customerAddress": "100.64.0.2/30",
                     *             "platformAsNumber": 64512
                     *           }
                     *         },
                     *         "entreprise": null
                     *       },
                     *       "state": "registered"
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectorReadWriteModel"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putFlowConnectorConnid: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                connid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "description": "Analytics, Frankfurt",
                 *       "csp": {
                 *         "providerA": {
                 *           "asNumber": 4200000710
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    name?: string;
                    description?: string | null;
                    tagIds?: string[] | null;
                    csp?: components["schemas"]["csp.change"] | null;
                    entreprise?: components["schemas"]["entreprise.change"] | null;
                    /** @description Another spelling of entreprise; send one of the two */
                    enterprise?: components["schemas"]["entreprise.change"] | null;
                };
            };
        };
        responses: {
            /** @description The changed connector */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "connectorType": "cloudGateway",
                     *       "connectorTypeId": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "name": "fra-analytics-01",
                     *       "description": "To Frankfurt, FRA1",
                     *       "tagIds": null,
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "groupId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "region": "Europe",
                     *       "slug": "europe",
                     *       "longitude": 8.68,
                     *       "latitude": 50.11,
                     *       "routerIrn": "irn:ire:k3x9m2p7q1za::8y1k3f0v1c9r2b7q5d8w4n1ab",
                     *       "bgpDescriptions": [],
                     *       "routerInterface": [],
                     *       "bandwidth": 1000000000,
                     *       "kind": "single",
                     *       "state": "registered",
                     *       "status": 3,
                     *       "statusSince": "2026-11-14T09:30:00.123456Z",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Connector"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteFlowConnectorConnid: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                connid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postFlowConnectorConnidSetInDeployment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                connid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connector with its current state */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "connectorType": "cloudGateway",
                     *       "connectorTypeId": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "name": "fra-analytics-01",
                     *       "description": "To Frankfurt, FRA1",
                     *       "tagIds": null,
                     *       "organisationId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "groupId": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "region": "Europe",
                     *       "slug": "europe",
                     *       "longitude": 8.68,
                     *       "latitude": 50.11,
                     *       "routerIrn": "irn:ire:k3x9m2p7q1za::8y1k3f0v1c9r2b7q5d8w4n1ab",
                     *       "bgpDescriptions": [],
                     *       "routerInterface": [],
                     *       "bandwidth": 1000000000,
                     *       "kind": "single",
                     *       "state": "delivered",
                     *       "status": 0,
                     *       "statusSince": "2026-11-14T09:30:00.123456Z",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Connector"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFlowConnectorConnidDeployment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                connid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "state": "delivered",
                     *       "origin": "lab",
                     *       "steps": [
                     *         {
                     *           "name": "plan",
                     *           "startedAt": "2026-11-14T09:30:00.120000Z",
                     *           "endedAt": "2026-11-14T09:30:00.171000Z",
                     *           "outcome": "done",
                     *           "message": "add leg l9 on r12 and r14; change daemon r12 on r12; change daemon r14 on r14."
                     *         },
                     *         {
                     *           "name": "apply",
                     *           "startedAt": "2026-11-14T09:30:00.171000Z",
                     *           "endedAt": "2026-11-14T09:30:00.402000Z",
                     *           "outcome": "done",
                     *           "message": "3 changes made."
                     *         },
                     *         {
                     *           "name": "verify ends",
                     *           "startedAt": "2026-11-14T09:30:00.402000Z",
                     *           "endedAt": "2026-11-14T09:30:00.407000Z",
                     *           "outcome": "done",
                     *           "message": "Both connectors are up."
                     *         },
                     *         {
                     *           "name": "probe",
                     *           "startedAt": "2026-11-14T09:30:00.407000Z",
                     *           "endedAt": "2026-11-14T09:30:01.402000Z",
                     *           "outcome": "done",
                     *           "message": "A probe crossed from far end to far end and back in 84.2 ms; 41.9 ms each way are the distance."
                     *         }
                     *       ],
                     *       "cause": null,
                     *       "advice": null
                     *     }
                     */
                    "application/json": components["schemas"]["Deployment"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLinks: {
        parameters: {
            query?: {
                /** @description Of this group */
                groupId?: string;
                /** @description registered → in-deployment → deployed → delivered; error: deploy again */
                state?: "registered" | "in-deployment" | "deployed" | "delivered" | "error";
                /** @description column[,ASC|DESC], repeatable; columns: name, state, createdAt, updatedAt */
                sort?: string[];
                /** @description A part of its name or description, in any case; or the beginning of its resource name (irn:…) */
                search?: string;
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Links */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "irn": "irn:links:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *         "name": "lyon-to-frankfurt",
                     *         "description": "lyon-store-04 – fra-analytics-01",
                     *         "tagIds": null,
                     *         "groupId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "from": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "to": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *         "state": "registered",
                     *         "created_at": "2026-11-14 09:30:00.123456 +0000 UTC",
                     *         "updated_at": "2026-11-14 09:30:00.123456 +0000 UTC"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ListedLink"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLinkGroupGroupId: {
        parameters: {
            query?: {
                /** @description column[,ASC|DESC], repeatable; columns: name, state, createdAt, updatedAt */
                sort?: string[];
                /** @description A part of its name or description, in any case; or the beginning of its resource name (irn:…) */
                search?: string;
                /** @description Page, from 1; 0 is the first too. */
                page?: number;
                /** @description Records on a page. */
                limit?: number;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its links */
            200: {
                headers: {
                    /** @description First index, last index and total, such as 0-49/1234 */
                    "Content-Range"?: string;
                    /** @description Relations first, previous, next and last, as far as they exist */
                    Link?: string;
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *         "irn": "irn:links:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *         "name": "lyon-to-frankfurt",
                     *         "description": "lyon-store-04 – fra-analytics-01",
                     *         "tagIds": null,
                     *         "groupId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *         "from": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *         "to": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *         "state": "registered",
                     *         "created_at": "2026-11-14 09:30:00.123456 +0000 UTC",
                     *         "updated_at": "2026-11-14 09:30:00.123456 +0000 UTC"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ListedLink"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postFlowLinkSetRegistered: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "lyon-to-frankfurt",
                 *       "from": "irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                 *       "to": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33"
                 *     }
                 */
                "application/json": {
                    name: string;
                    description?: string | null;
                    tagIds?: string[] | null;
                    /** @description Resource name or id of a connector */
                    from: string;
                    /** @description Resource name or id of a connector */
                    to: string;
                };
            };
        };
        responses: {
            /** @description The new link */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:links:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "name": "lyon-to-frankfurt",
                     *       "description": "lyon-store-04 – fra-analytics-01",
                     *       "tagIds": null,
                     *       "groupId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "from": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "to": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "state": "registered",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Link"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFlowLinkLinkid: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                linkid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:links:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "name": "lyon-to-frankfurt",
                     *       "description": "lyon-store-04 – fra-analytics-01",
                     *       "tagIds": null,
                     *       "groupId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "from": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "to": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "state": "registered",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Link"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putFlowLinkLinkid: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                linkid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "description": "The stores to their numbers"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    description?: string | null;
                    tagIds?: string[] | null;
                    /** @description Resource name or id of a connector */
                    from?: string;
                    /** @description Resource name or id of a connector */
                    to?: string;
                };
            };
        };
        responses: {
            /** @description The changed link */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:links:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "name": "lyon-to-frankfurt",
                     *       "description": "lyon-store-04 – fra-analytics-01",
                     *       "tagIds": null,
                     *       "groupId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "from": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "to": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "state": "registered",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Link"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteFlowLinkLinkid: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of the record as you read it: 412 when it has changed since */
                "If-Match"?: string;
            };
            path: {
                linkid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postFlowLinkLinkidSetInDeployment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description Makes repetition safe: the same key and body is carried out once in 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                linkid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link with its current state */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *       "irn": "irn:links:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty",
                     *       "name": "lyon-to-frankfurt",
                     *       "description": "lyon-store-04 – fra-analytics-01",
                     *       "tagIds": null,
                     *       "groupId": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "from": "c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21",
                     *       "to": "a81c7b0e-2f5b-4b7d-9c0a-1f4f2a6d7e33",
                     *       "state": "delivered",
                     *       "createdAt": "2026-11-14T09:30:00.123456Z",
                     *       "updatedAt": "2026-11-14T09:30:00.123456Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Link"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFlowLinkLinkidDeployment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                linkid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployment */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "state": "delivered",
                     *       "origin": "lab",
                     *       "steps": [
                     *         {
                     *           "name": "plan",
                     *           "startedAt": "2026-11-14T09:30:00.120000Z",
                     *           "endedAt": "2026-11-14T09:30:00.171000Z",
                     *           "outcome": "done",
                     *           "message": "add leg l9 on r12 and r14; change daemon r12 on r12; change daemon r14 on r14."
                     *         },
                     *         {
                     *           "name": "apply",
                     *           "startedAt": "2026-11-14T09:30:00.171000Z",
                     *           "endedAt": "2026-11-14T09:30:00.402000Z",
                     *           "outcome": "done",
                     *           "message": "3 changes made."
                     *         },
                     *         {
                     *           "name": "verify ends",
                     *           "startedAt": "2026-11-14T09:30:00.402000Z",
                     *           "endedAt": "2026-11-14T09:30:00.407000Z",
                     *           "outcome": "done",
                     *           "message": "Both connectors are up."
                     *         },
                     *         {
                     *           "name": "probe",
                     *           "startedAt": "2026-11-14T09:30:00.407000Z",
                     *           "endedAt": "2026-11-14T09:30:01.402000Z",
                     *           "outcome": "done",
                     *           "message": "A probe crossed from far end to far end and back in 84.2 ms; 41.9 ms each way are the distance."
                     *         }
                     *       ],
                     *       "cause": null,
                     *       "advice": null
                     *     }
                     */
                    "application/json": components["schemas"]["Deployment"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMetricsQueryIrnIrn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                irn: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its metrics */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "name": "bits_send",
                     *         "type": "timeserie"
                     *       },
                     *       {
                     *         "name": "connStatus",
                     *         "type": "status"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["MetricDescriptor"][];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMetricsQueryIrnIrnMetricTypeRun: {
        parameters: {
            query?: {
                /** @description From this time on (RFC 3339) */
                "start-d"?: string;
                /** @description Before this time (RFC 3339) */
                "end-d"?: string;
                /** @description Minutes between points, 1 to 527040; values below 5 count as 5 */
                interv?: string;
                /** @description For groups: the same as the metric */
                region?: string;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                irn: string;
                metricType: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The points, or the latest status */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "timeserie",
                     *       "measure": "used capacity",
                     *       "axis": {
                     *         "sum": {
                     *           "unit": "bps",
                     *           "title": "used capacity"
                     *         }
                     *       },
                     *       "Results": [
                     *         {
                     *           "Series": [
                     *             {
                     *               "name": "interface_snmp",
                     *               "columns": [
                     *                 "time",
                     *                 "sum"
                     *               ],
                     *               "values": [
                     *                 [
                     *                   "2026-11-14T09:30:00Z",
                     *                   812400120.5
                     *                 ],
                     *                 [
                     *                   "2026-11-14T09:35:00Z",
                     *                   798113004.25
                     *                 ]
                     *               ],
                     *               "origin": "simulated"
                     *             }
                     *           ],
                     *           "Messages": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MetricTimeserie"] | components["schemas"]["MetricStatus"];
                    "text/csv": string;
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMetricsWrite: {
        parameters: {
            query?: {
                /** @description Unit of the timestamps; nanoseconds by default */
                precision?: "n" | "ns" | "u" | "µ" | "us" | "ms" | "s" | "m" | "h";
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example interface,irn=irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty ifHCInOctets=81204i,ifHCOutOctets=7731i 1794648600000000000 */
                "text/plain": string;
            };
        };
        responses: {
            /** @description All points are stored */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postWrite: {
        parameters: {
            query?: {
                /** @description Unit of the timestamps; nanoseconds by default */
                precision?: "n" | "ns" | "u" | "µ" | "us" | "ms" | "s" | "m" | "h";
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example interface,irn=irn:connectors:k3x9m2p7q1za::6x0k3f0v1c9r2b7q5d8w4n1ty ifHCInOctets=81204i,ifHCOutOctets=7731i 1794648600000000000 */
                "text/plain": string;
            };
        };
        responses: {
            /** @description All points are stored */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postQuery: {
        parameters: {
            query?: {
                /** @description CREATE DATABASE … */
                q?: string;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "q": "CREATE DATABASE \"telegraf\""
                 *     }
                 */
                "application/json": {
                    q?: string;
                };
                "application/x-www-form-urlencoded": {
                    q?: string;
                };
            };
        };
        responses: {
            /** @description The response of InfluxDB */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "statement_id": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        results: {
                            statement_id: number;
                        }[];
                    };
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPing: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service is running */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHealthMetrics: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The engine is available */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": 200,
                     *       "body": "OK"
                     *     }
                     */
                    "application/json": components["schemas"]["MetricsHealth"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMetricsCapacitiesRegion: {
        parameters: {
            query?: {
                /** @description From this time on (RFC 3339) */
                "start-d"?: string;
                /** @description Before this time (RFC 3339) */
                "end-d"?: string;
            };
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
                /** @description The organisation to act for: your own (default) or, for a reseller, a direct child */
                "Service-Scope"?: string;
                /** @description ETag of an earlier answer: 304 when nothing changed */
                "If-None-Match"?: string;
            };
            path: {
                region: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    /** @description For If-None-Match and If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organizationID": "0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10",
                     *       "name": "Atlas Retail",
                     *       "regionalMetrics": [
                     *         {
                     *           "serviceRegion": "europe",
                     *           "allocated": 14000000000,
                     *           "used": 3214552001.5,
                     *           "subscribed": 20000000000
                     *         }
                     *       ],
                     *       "groups": [
                     *         {
                     *           "groupID": "5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11",
                     *           "name": "stores-emea",
                     *           "regionalMetrics": [
                     *             {
                     *               "serviceRegion": "europe",
                     *               "allocated": 14000000000,
                     *               "used": 3214552001.5
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "childrenOrganizations": []
                     *     }
                     */
                    "application/json": components["schemas"]["CapacityReport"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is alive */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "0.2.0",
                     *       "commit": "9c50e9a"
                     *     }
                     */
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReady: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service is ready */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready"
                     *     }
                     */
                    "application/json": components["schemas"]["State"];
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOpenapijson: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own id for this request, repeated in the answer */
                "Gateway-Request-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description HTML */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description What was wrong, and what to do about it */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
