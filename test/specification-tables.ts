// The records of the service as its specification spells them: every field with its type. `additions` are ours beyond it; whatever
// stands in neither is a mistake. The tables are written by hand and know nothing of the code, so that they can contradict it.

export type Rule =
  | 'uuid'
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'timestamp'
  /** `2026-11-14 09:30:00.123456 +0000 UTC`: in the list of links alone. */
  | 'spacedTimestamp'
  | 'null'
  | 'anything'
  | { orNull: Rule }
  | { oneOf: string[] }
  | { arrayOf: Rule }
  /** An object whose keys are the ids of what they hold. */
  | { byId: Rule }
  | { fields: Table; additions: Table }
  | { irn: string; qualifier: string };

export type Table = { [field: string]: Rule };

export const orNull = (rule: Rule): Rule => ({ orNull: rule });
export const oneOf = (...words: string[]): Rule => ({ oneOf: words });
export const arrayOf = (rule: Rule): Rule => ({ arrayOf: rule });
export const byId = (rule: Rule): Rule => ({ byId: rule });
export const object = (fields: Table, additions: Table = {}) => ({ fields, additions });
/** A resource name of this family. */
export const irn = (family: string, qualifier = ''): Rule => ({ irn: family, qualifier });

const textOrNull = orNull('text');
const integerOrNull = orNull('integer');
const tagIds = orNull(arrayOf('uuid'));
const stamps: Table = { createdAt: 'timestamp', updatedAt: 'timestamp' };
const state = oneOf('registered', 'in-deployment', 'deployed', 'delivered', 'error');
const regionSlug = oneOf(
  'europe',
  'japan',
  'latin-america',
  'north-america',
  'pacific',
  'south-africa',
  'southeast-asia',
);
const family = oneOf('providerA', 'providerAHostedConnection', 'providerB', 'providerC');

export const capacity = object({
  id: 'uuid',
  capacity: 'integer',
  duration: 'integer',
  isRegional: 'boolean',
  region1Id: 'uuid',
  region2Id: orNull('uuid'),
  ...stamps,
});
export const availableCapacity = object({ subscribedCapacityId: 'uuid', availableCapacity: 'integer' });

const part: Table = { id: 'uuid', ...stamps, organisationId: 'uuid' };
const organisationFields: Table = {
  id: 'uuid',
  name: 'text',
  address: object({ ...part, street: textOrNull, city: textOrNull, zipcode: textOrNull, country: textOrNull }),
  invoice: object({ ...part, tvasubjection: orNull('boolean'), tvanumber: textOrNull, tvaintra: textOrNull }),
  phone: textOrNull,
  parentId: orNull('uuid'),
  parent_id: orNull('uuid'),
  reseller: 'boolean',
  capacities: orNull(arrayOf(capacity)),
  ...stamps,
};
/** In a list, and where one was created or changed. */
export const organisation = object(organisationFields);
const child = object({ id: 'uuid', name: 'text', reseller: 'boolean', childrenCount: 'integer' });
export const organisationRead = object({ ...organisationFields, children: arrayOf(child) });

const login = object({
  id: 'uuid',
  ...stamps,
  userId: 'uuid',
  firstLoginAt: orNull('timestamp'),
  numberLogin: 'integer',
  numberFaileLogin: 'integer',
  lastLoginAt: orNull('timestamp'),
  lastFailedLoginAt: orNull('timestamp'),
  userAgentFirstLogin: textOrNull,
  ipFirstLogin: textOrNull,
});
const userFields: Table = {
  id: 'uuid',
  firstName: textOrNull,
  lastName: 'text',
  email: 'text',
  role: 'text',
  organisationId: 'uuid',
  contact: orNull(object({ phone: textOrNull, site: textOrNull })),
  preference: orNull(object({ language: textOrNull })),
  login,
  ...stamps,
};
const userAdditions: Table = { number: 'integer', enabled: 'boolean' };
export const user = object(userFields, userAdditions);
export const currentUser = object({ ...userFields, firstname: textOrNull, lastname: 'text' }, userAdditions);

export const session = object({
  access_token: 'text',
  expires_in: 'integer',
  refresh_token: 'text',
  scope: 'text',
  token_type: oneOf('Bearer'),
});
export const personalToken = object(
  { name: 'text', comment: textOrNull, createdAt: 'timestamp', expiresIn: 'integer', userId: 'uuid' },
  { id: 'uuid' },
);
export const newPersonalToken = object(
  { accessToken: 'text', expiresIn: 'integer', scope: 'text', tokenType: oneOf('Bearer') },
  { id: 'uuid', access_token: 'text', expires_in: 'integer', token_type: oneOf('Bearer') },
);

export const policy = object({ act: 'text', eft: oneOf('allow', 'deny'), obj: 'text', res: 'text' });
export const role = object({ role: 'text', policies: arrayOf(policy) });

export const group = object({
  id: 'uuid',
  irn: irn('group'),
  name: 'text',
  description: textOrNull,
  organisationId: 'uuid',
  organisationid: 'uuid',
  allocatedCapacity: orNull('number'),
  tagIds,
  countConnectors: 'integer',
  countFlowConnectors: 'integer',
  countLinks: 'integer',
  countFlowLinks: 'integer',
  ...stamps,
});
export const allocation = object({
  id: 'uuid',
  irn: irn('capacity'),
  groupId: 'uuid',
  capacityId: 'uuid',
  allocation: 'integer',
  ...stamps,
});

/** Wholly ours. */
export const tag = object({}, { id: 'uuid', name: 'text', description: textOrNull, color: textOrNull, ...stamps });

export const connector = object(
  {
    id: 'uuid',
    irn: irn('connectors'),
    connectorType: oneOf('virtualGateway', 'cloudGateway'),
    connectorTypeId: 'uuid',
    name: 'text',
    description: textOrNull,
    tagIds,
    organisationId: 'uuid',
    groupId: 'uuid',
    region: 'text',
    slug: regionSlug,
    longitude: 'number',
    latitude: 'number',
    routerIrn: irn('ire'),
    bgpDescriptions: arrayOf('text'),
    routerInterface: arrayOf('text'),
    bandwidth: 'integer',
    kind: oneOf('single'),
    status: 'integer',
    ...stamps,
  },
  { state, statusSince: 'timestamp' },
);
export const connectorName = object({ name: 'text' });
export const prefixes = object({
  prefixes: arrayOf(
    object({
      connectorId: 'uuid',
      connectorName: 'text',
      interface: 'text',
      isActive: 'boolean',
      localPreference: 'integer',
      nextHop: 'text',
      path: 'text',
      prefix: 'text',
      protocol: 'text',
    }),
  ),
  requestDate: 'timestamp',
});

const peering: Table = { asNumber: 'integer', providerAAccount: 'integer', platformAsNumber: 'integer' };
const providerA: Table = { ...peering, providerAAddress: 'text', customerAddress: 'text' };
const hosted: Table = { ...peering, portSpeed: 'text' };
const subnets: Table = { platformAsNumber: 'integer', primarySubnet: 'text', secondarySubnet: 'text' };
const providerC: Table = {
  bandwidth: 'text',
  med: integerOrNull,
  pairingKey: textOrNull,
  platformAsNumber: 'integer',
};
const assigned: Table = {
  providerAPeerIP: textOrNull,
  customerPeerIP: textOrNull,
  bgpKey: textOrNull,
  connectionId: textOrNull,
  vlanId: integerOrNull,
};
const site: Table = {
  cloudApplianceCloudVirtualInterfaceIP: 'text',
  cloudApplianceID: 'uuid',
  cmeBGPKey: textOrNull,
  cmeGatewayIP: 'text',
  cmeMask: 'text',
  customerASN: 'integer',
  serviceCloudApplianceASN: 'integer',
  vlan: 'integer',
};

/** The fields of each kind of connector, as they are written and as they are read; secrets are null for those who may not write. */
export const kinds = {
  providerA: { write: object(providerA), read: object({ ...providerA, dxvif: textOrNull }) },
  providerAHostedConnection: { write: object(hosted), read: object({ ...hosted, ...assigned }) },
  providerB: {
    write: object({ ...subnets, serviceKey: textOrNull }),
    read: object({ ...subnets, providerBServiceKey: textOrNull }),
  },
  providerC: { write: object(providerC), read: object({ ...providerC, interconnectId: textOrNull }) },
  entreprise: { write: object(site), read: object(site) },
} as const;
export type KindName = keyof typeof kinds;

/** The read and write models of a connector of a kind: a provider's or a site's, never both. */
export function readWriteModel(kind: KindName): Rule {
  const { write, read } = kinds[kind];
  const model = (own: Rule): Table => ({
    name: 'text',
    description: textOrNull,
    groupId: 'uuid',
    tagIds,
    csp: kind === 'entreprise' ? 'null' : object({ cloudDestinationID: 'uuid', [kind]: own }),
    entreprise: kind === 'entreprise' ? own : 'null',
  });
  return object(
    {
      actions: arrayOf(oneOf('update', 'delete', 'deploy')),
      read: object(model(read), { irn: irn('connectors'), groupID: 'uuid' }),
      write: object(model(write)),
    },
    { state },
  );
}

const linkFields: Table = {
  id: 'uuid',
  irn: irn('links'),
  name: 'text',
  description: textOrNull,
  tagIds,
  from: 'uuid',
  to: 'uuid',
  state,
};
export const link = object({ ...linkFields, ...stamps }, { groupId: 'uuid' });
export const listedLink = object(
  { ...linkFields, created_at: 'spacedTimestamp', updated_at: 'spacedTimestamp' },
  { groupId: 'uuid' },
);

export const applianceModel = object({
  id: 'uuid',
  ...stamps,
  modelName: 'text',
  maxCapacity: 'text',
  connectorsNumber: 'integer',
  dualPowered: 'boolean',
  flowtypes: 'text',
  vendor: 'text',
  type: 'text',
  uplinkMedia: 'text',
});
export const virtualInterface = object({
  id: 'uuid',
  irn: irn('cloudgateway', 'entreprise'),
  cloudApplianceId: 'uuid',
  GatewayID: 'uuid',
  name: 'text',
  description: textOrNull,
  tagIds: arrayOf('uuid'),
  cmeIfDescription: 'text',
  organisationId: 'uuid',
  linkedEntrepriseConnectorName: 'text',
  custParameters: object({
    bgpKey: 'null',
    gwAs: 'text',
    gwIP: 'text',
    gwSubnetMask: 'text',
    ipAddress: 'text',
    peerAs: 'text',
    peerIP: 'text',
    gwUnit: 'integer',
    vlanID: 'integer',
  }),
  ...stamps,
});
const applianceWith = (cloudVirtualInterfaces: Rule) =>
  object(
    {
      id: 'uuid',
      irn: irn('cpe'),
      name: 'text',
      description: textOrNull,
      kind: oneOf('cloudAppliance', 'routingAppliance'),
      tagIds,
      organisationId: 'uuid',
      siteName: 'text',
      cloudApplianceModelID: 'uuid',
      cloudApplianceModel: orNull(applianceModel),
      custCloudApplianceInterface: 'text',
      svcCloudApplianceInterface: 'text',
      cloudVirtualInterfaces,
      ...stamps,
    },
    { slacity: 'text', region: regionSlug },
  );
export const listedAppliance = applianceWith(arrayOf(virtualInterface));
export const appliance = applianceWith(byId(virtualInterface));

export const region = object({ id: 'uuid', name: 'text', slug: regionSlug, ...stamps });
export const city = object({
  country: 'text',
  locode: 'text',
  name: 'text',
  slacity: 'text',
  state: textOrNull,
  zipcode: 'integer',
});
export const product = object({
  family,
  serviceRegion: regionSlug,
  service: 'text',
  type: 'text',
  total: 'integer',
  used: 'integer',
});
const cloudFamily = object({ id: 'uuid', shortName: family });
export const families = object({ cloudDestinationFamilies: arrayOf(cloudFamily) });
export const destinations = object({
  cloudGatewayTypes: arrayOf(
    object({
      id: 'uuid',
      cspCity: 'text',
      family: cloudFamily,
      region: regionSlug,
      slacity: 'text',
      edgeCode: 'text',
      longitude: 'number',
      latitude: 'number',
    }),
  ),
});

const sessionActions = ['sign-in', 'sign-in-refused', 'lock', 'reset-asked', 'reset', 'sign-out', 'refresh-reused'];
const fieldChange = object({ path: 'text', before: 'anything', after: 'anything' });
const auditFields: Table = {
  id: 'uuid',
  action: oneOf('create', 'update', 'delete', 'deploy', ...sessionActions),
  clientIP: 'text',
  organisationID: 'uuid',
  serviceIRN: 'text',
  serviceName: 'text',
  serviceType: 'text',
  userID: textOrNull,
  userName: 'text',
  ...stamps,
};
export const auditRecord = object(auditFields, {
  userAgent: textOrNull,
  onBehalf: orNull('uuid'),
  changes: orNull(arrayOf(fieldChange)),
});

/** Where the API document describes each of them, by title. */
export const titles: Record<string, { fields: Table; additions: Table }> = {
  SubscribedCapacity: capacity,
  AvailableCapacity: availableCapacity,
  Organisation: organisation,
  OrganisationWithChildren: organisationRead,
  ChildOrganisation: child,
  User: user,
  CurrentUser: currentUser,
  Login: login,
  Tokens: session,
  PersonalToken: personalToken,
  NewPersonalToken: newPersonalToken,
  Policy: policy,
  Role: role,
  Group: group,
  GroupCapacityAllocation: allocation,
  Tag: tag,
  Connector: connector,
  ConnectorPrefixes: prefixes,
  Link: link,
  ListedLink: listedLink,
  CloudApplianceModel: applianceModel,
  CloudVirtualInterface: virtualInterface,
  ListedCloudAppliance: listedAppliance,
  CloudAppliance: appliance,
  Region: region,
  City: city,
  Product: product,
  AuditRecord: auditRecord,
};
