// What the API document says beyond the routes: the tags, the spellings of fields, the scope header.
import type { Brand } from '../brand-file.ts';
import type { OpenApiOptions } from '../http/openapi/openapi-document.ts';
import { fieldAliases } from '../resources/connectors/wire.ts';

const tags: Record<string, string> = {
  'Sign in': 'Access tokens for users of API clients, and new passwords.',
  'Current user': 'The profile of the caller, and what the caller may do.',
  'Personal tokens': 'Long-lived tokens of the caller, for scripts and agents.',
  Organisations: 'The organisation of the caller, and the children of a reseller.',
  Users: 'The users of an organisation.',
  Roles: 'Roles with their policies: who may do what.',
  Audit: 'Who changed what, and when.',
  Places: 'Cities, regions, and the destinations where providers can be reached.',
  'Products and capacities': 'What an organisation has subscribed to, and how much of it is left.',
  Groups: 'Sets of connectors and links, and the capacity that is allocated to them.',
  Tags: 'Labels on groups, connectors, links and appliances.',
  Appliances: 'Devices at sites, their models and their virtual interfaces.',
  Connectors: 'Ports to providers and to sites: creation, deployment, BGP prefixes.',
  Links: 'Connections between two connectors of a group.',
  Metrics: 'Time series and status of groups, connectors, links and virtual interfaces, and how agents write them.',
  Service: 'Liveness, readiness, and this document.',
  Portal: 'Sessions of the portal of this service.',
};

export const openApiOptions = ({ portal, scopeHeader }: Brand, version: string): OpenApiOptions => ({
  title: portal.name,
  scopeHeader,
  version,
  tags,
  aliases: fieldAliases,
});
