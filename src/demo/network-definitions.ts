// The networks of the demo organisations: capacities, products, groups, appliances, connectors and links.
// build-network.ts creates them.

export interface DemoConnector {
  name: string;
  group: string;
  /** A destination as `family/city`, or the name of an appliance. */
  to: string;
  fields: Record<string, unknown>;
  description?: string;
  tags?: string[];
  legacy?: true;
}

export interface DemoLink {
  name: string;
  from: string;
  to: string;
  tags?: string[];
  legacy?: true;
  deploy?: true;
}

export interface DemoNetwork {
  tags: Record<string, { color: string; description: string }>;
  /** By `family/region`: connectors sold beyond those in use; 0 is an exhausted pool. */
  spareProducts: Record<string, number>;
  capacities: Record<string, { gbps: number; months: number; regions: [string] | [string, string] }>;
  groups: Record<string, { description: string; tags?: string[]; allocations: Record<string, number> }>;
  appliances: Record<string, { site: string; city: string; model: string; kind?: 'routingAppliance'; tags?: string[] }>;
  connectors: DemoConnector[];
  links: DemoLink[];
}

const siteFields = (vlan: number, customerASN: number, cmeBGPKey?: string) => ({
  vlan,
  customerASN,
  ...(cmeBGPKey ? { cmeBGPKey } : {}),
});
const providerAFields = (providerAAccount: string, asNumber: number) => ({ providerAAccount, asNumber });
const hostedConnectionFields = (providerAAccount: string, asNumber: number, portSpeed: string) => ({
  providerAAccount,
  asNumber,
  portSpeed,
});
const providerBFields = (serviceKey: string, primarySubnet?: string, secondarySubnet?: string) => ({
  serviceKey,
  ...(primarySubnet ? { primarySubnet, secondarySubnet } : {}),
});
const providerCFields = (pairingKey: string, bandwidth: string, med?: number) => ({
  pairingKey,
  bandwidth,
  ...(med === undefined ? {} : { med }),
});

const atlas: DemoNetwork = {
  tags: {
    production: { color: '#1f7a4d', description: 'Carries customers’ traffic' },
    pci: { color: '#a83232', description: 'In scope of the card audit' },
    'peak-season': { color: '#b8860b', description: 'Frozen from mid November to early January' },
  },
  spareProducts: {
    'providerA/europe': 4,
    'providerA/north-america': 0,
    'providerAHostedConnection/europe': 2,
    'providerB/europe': 3,
    'providerC/southeast-asia': 1,
  },
  capacities: {
    europe: { gbps: 20, months: 36, regions: ['europe'] },
    transatlantic: { gbps: 5, months: 24, regions: ['europe', 'north-america'] },
    'europe to asia': { gbps: 2, months: 12, regions: ['europe', 'southeast-asia'] },
  },
  groups: {
    'stores-emea': {
      description: 'Tills, stock and Wi-Fi of the stores in Europe',
      tags: ['production'],
      allocations: { europe: 6000 },
    },
    'ecommerce-core': {
      description: 'Web shop: order management, payment and search',
      tags: ['production', 'pci'],
      allocations: { europe: 8000, transatlantic: 3000 },
    },
    'supply-chain': {
      description: 'Warehouses and suppliers in Asia',
      allocations: { 'europe to asia': 2000 },
    },
  },
  appliances: {
    'cpe-mrs-hq-01': { site: 'Marseille, Quai des Docks', city: 'marseille', model: 'CV-2400', tags: ['production'] },
    'cpe-par-dc-01': { site: 'Paris, Aubervilliers data hall 3', city: 'paris', model: 'CV-9600' },
    'cpe-mil-wh-01': { site: 'Milan, Segrate warehouse', city: 'milan', model: 'Ostrelle Brim 4' },
    'vrt-sin-01': { site: 'Singapore, Jurong', city: 'singapore', model: 'Ostrelle vBrim', kind: 'routingAppliance' },
  },
  connectors: [
    { name: 'mrs-hq', group: 'stores-emea', to: 'cpe-mrs-hq-01', fields: siteFields(210, 65010, 'quay docks 12 mrs') },
    { name: 'mil-warehouse', group: 'stores-emea', to: 'cpe-mil-wh-01', fields: siteFields(110, 65012) },
    {
      name: 'par-pos-backend',
      group: 'stores-emea',
      to: 'providerA/Paris',
      fields: providerAFields('000318402917', 64710),
      tags: ['production'],
    },
    {
      name: 'fra-inventory',
      group: 'stores-emea',
      to: 'providerB/Frankfurt',
      fields: providerBFields('9b1c0b8e-51a6-4b52-8d0e-2f6e5d1c7a40', '172.31.10.0/30', '172.31.10.4/30'),
    },
    {
      name: 'par-dc3',
      group: 'ecommerce-core',
      to: 'cpe-par-dc-01',
      fields: siteFields(301, 65011, 'aubervilliers row 7'),
      tags: ['production', 'pci'],
    },
    {
      name: 'dub-shop-front',
      group: 'ecommerce-core',
      to: 'providerAHostedConnection/Dublin',
      fields: hostedConnectionFields('000318402917', 64711, '2Gbps'),
      tags: ['production', 'peak-season'],
    },
    {
      name: 'iad-shop-front',
      group: 'ecommerce-core',
      to: 'providerA/Ashburn',
      fields: providerAFields('000318402930', 64712),
    },
    {
      name: 'nyc-fraud-check',
      group: 'ecommerce-core',
      to: 'providerA/New York',
      fields: providerAFields('000318402931', 4200064713),
      tags: ['pci'],
    },
    { name: 'sin-suppliers', group: 'supply-chain', to: 'vrt-sin-01', fields: siteFields(42, 65020) },
    {
      name: 'sin-forecasting',
      group: 'supply-chain',
      to: 'providerC/Singapore',
      fields: providerCFields('3e7f1d2c-0a4b-4c2f-9d55-7a1b6c8e9f01/singapore/1', 'BPS_500M', 200),
      legacy: true,
    },
    {
      name: 'lon-archive',
      group: 'supply-chain',
      to: 'providerA/London',
      fields: providerAFields('000318402944', 64714),
      description: 'Taken over from the former carrier',
      legacy: true,
    },
  ],
  links: [
    { name: 'mrs-hq--par-pos', from: 'mrs-hq', to: 'par-pos-backend', tags: ['production'], deploy: true },
    { name: 'mil-warehouse--fra-inventory', from: 'mil-warehouse', to: 'fra-inventory' },
    { name: 'par-dc3--dub-shop', from: 'par-dc3', to: 'dub-shop-front', tags: ['production', 'peak-season'] },
    { name: 'par-dc3--iad-shop', from: 'par-dc3', to: 'iad-shop-front', tags: ['production'] },
    { name: 'dub-shop--nyc-fraud', from: 'dub-shop-front', to: 'nyc-fraud-check', tags: ['pci'] },
    { name: 'sin-suppliers--sin-forecasting', from: 'sin-suppliers', to: 'sin-forecasting' },
    { name: 'sin-forecasting--lon-archive', from: 'sin-forecasting', to: 'lon-archive', legacy: true },
  ],
};

const boreal: DemoNetwork = {
  tags: {
    'tier-0': { color: '#8b1a1a', description: 'Payments stop without it' },
    regulated: { color: '#4b0082', description: 'Subject to the outsourcing register' },
    trading: { color: '#00688b', description: 'Market hours 07:00–17:30 UTC' },
  },
  spareProducts: {
    'providerA/europe': 3,
    'providerAHostedConnection/europe': 2,
    'providerB/europe': 0,
    'providerC/europe': 2,
    'providerA/japan': 2,
    'providerB/japan': 1,
  },
  capacities: {
    nordics: { gbps: 40, months: 60, regions: ['europe'] },
    'nordics to tokyo': { gbps: 4, months: 36, regions: ['europe', 'japan'] },
    tokyo: { gbps: 10, months: 36, regions: ['japan'] },
  },
  groups: {
    'payments-rail': {
      description: 'Instant payments and card clearing',
      tags: ['tier-0', 'regulated'],
      allocations: { nordics: 20000 },
    },
    'market-data': {
      description: 'Feeds and order routing, Stockholm and Tokyo',
      tags: ['trading'],
      allocations: { 'nordics to tokyo': 3500, tokyo: 5000 },
    },
    'branch-network': {
      description: 'Branches and cash machines',
      tags: ['regulated'],
      allocations: { nordics: 10000 },
    },
  },
  appliances: {
    'cpe-sto-vasa-01': { site: 'Stockholm, Vasagatan 11', city: 'stockholm', model: 'CV-9600', tags: ['tier-0'] },
    'cpe-sto-kista-01': { site: 'Stockholm, Kista data centre', city: 'stockholm', model: 'CV-9600', tags: ['tier-0'] },
    'cpe-hel-01': { site: 'Helsinki, Pasila', city: 'helsinki', model: 'CV-2400' },
    'cpe-tyo-01': { site: 'Tokyo, Otemachi', city: 'tokyo', model: 'CV-2400', tags: ['trading'] },
    'vrt-osl-01': { site: 'Oslo, Skøyen', city: 'oslo', model: 'Ostrelle vBrim Plus', kind: 'routingAppliance' },
  },
  connectors: [
    {
      name: 'sto-vasagatan',
      group: 'payments-rail',
      to: 'cpe-sto-vasa-01',
      fields: siteFields(1001, 65101, 'vasa 11 rail key'),
      tags: ['tier-0'],
    },
    {
      name: 'sto-kista',
      group: 'payments-rail',
      to: 'cpe-sto-kista-01',
      fields: siteFields(1002, 65102, 'kista hall b key'),
      tags: ['tier-0'],
    },
    {
      name: 'sto-clearing',
      group: 'payments-rail',
      to: 'providerAHostedConnection/Stockholm',
      fields: hostedConnectionFields('771200450013', 64801, '5Gbps'),
      tags: ['tier-0', 'regulated'],
    },
    {
      name: 'osl-clearing-backup',
      group: 'payments-rail',
      to: 'providerB/Oslo',
      fields: providerBFields('c0f6a3d9-7be2-41a8-8a3c-95f3de01b7c2'),
      tags: ['regulated'],
    },
    {
      name: 'sto-feed-handlers',
      group: 'market-data',
      to: 'providerA/Stockholm',
      fields: providerAFields('771200450021', 64802),
      tags: ['trading'],
    },
    {
      name: 'tyo-otemachi',
      group: 'market-data',
      to: 'cpe-tyo-01',
      fields: siteFields(77, 65103, 'otemachi 4f 0077'),
      tags: ['trading'],
    },
    {
      name: 'tyo-order-router',
      group: 'market-data',
      to: 'providerA/Tokyo',
      fields: providerAFields('771200450022', 4200064803),
      tags: ['trading'],
    },
    {
      name: 'kix-order-router',
      group: 'market-data',
      to: 'providerB/Osaka',
      fields: providerBFields('1d9a77f0-36bc-4f0e-a7f1-0f2b8f7d6e35'),
    },
    { name: 'hel-branches', group: 'branch-network', to: 'cpe-hel-01', fields: siteFields(300, 65104) },
    { name: 'osl-branches', group: 'branch-network', to: 'vrt-osl-01', fields: siteFields(300, 65105) },
    {
      name: 'fra-risk-models',
      group: 'branch-network',
      to: 'providerC/Frankfurt',
      fields: providerCFields('8a1f2b3c-4d5e-4f60-8a7b-1c2d3e4f5061/frankfurt/2', 'BPS_1G', 100),
      legacy: true,
    },
    {
      name: 'zrh-vault',
      group: 'branch-network',
      to: 'providerB/Zurich',
      fields: providerBFields('7f30a2c8-55d1-4a0b-9ee7-4cc1b2d3e4f5'),
      description: 'Taken over from the former carrier',
      legacy: true,
    },
  ],
  links: [
    { name: 'sto-vasagatan--sto-clearing', from: 'sto-vasagatan', to: 'sto-clearing', tags: ['tier-0'], deploy: true },
    { name: 'sto-kista--sto-clearing', from: 'sto-kista', to: 'sto-clearing', tags: ['tier-0'] },
    { name: 'sto-kista--osl-backup', from: 'sto-kista', to: 'osl-clearing-backup', tags: ['regulated'] },
    { name: 'sto-feeds--tyo-otemachi', from: 'sto-feed-handlers', to: 'tyo-otemachi', tags: ['trading'] },
    { name: 'tyo-otemachi--tyo-router', from: 'tyo-otemachi', to: 'tyo-order-router', tags: ['trading'] },
    { name: 'tyo-otemachi--kix-router', from: 'tyo-otemachi', to: 'kix-order-router', tags: ['trading'] },
    { name: 'hel-branches--fra-risk', from: 'hel-branches', to: 'fra-risk-models' },
    { name: 'osl-branches--fra-risk', from: 'osl-branches', to: 'fra-risk-models' },
    { name: 'fra-risk--zrh-vault', from: 'fra-risk-models', to: 'zrh-vault', legacy: true },
  ],
};

const cobalt: DemoNetwork = {
  tags: {
    live: { color: '#006d5b', description: 'Players are on it' },
    build: { color: '#4a5a6a', description: 'Build farm and artists' },
    'season-9': { color: '#b03a7b', description: 'Needed for the release of season 9' },
  },
  spareProducts: {
    'providerA/north-america': 5,
    'providerA/southeast-asia': 2,
    'providerAHostedConnection/north-america': 0,
    'providerB/north-america': 2,
    'providerC/north-america': 2,
    'providerC/pacific': 1,
  },
  capacities: {
    'north america': { gbps: 60, months: 36, regions: ['north-america'] },
    transpacific: { gbps: 8, months: 24, regions: ['north-america', 'southeast-asia'] },
    'to sydney': { gbps: 4, months: 24, regions: ['north-america', 'pacific'] },
  },
  groups: {
    matchmaking: {
      description: 'Game servers and matchmaking, all coasts',
      tags: ['live', 'season-9'],
      allocations: { 'north america': 20000, transpacific: 6000, 'to sydney': 4000 },
    },
    'build-farm': { description: 'Render and build nodes', tags: ['build'], allocations: { 'north america': 25000 } },
    'player-data': {
      description: 'Accounts, telemetry, payments',
      tags: ['live'],
      allocations: { 'north america': 5000 },
    },
  },
  appliances: {
    'cpe-sea-01': { site: 'Seattle, 1420 Fifth Avenue', city: 'seattle', model: 'CV-9600' },
    'cpe-yul-01': { site: 'Montreal, Mile End studio', city: 'montreal', model: 'Haldrask HX48', tags: ['build'] },
    'cpe-lax-01': { site: 'Los Angeles, Playa Vista', city: 'los-angeles', model: 'CV-2400', tags: ['live'] },
    'vrt-syd-01': { site: 'Sydney, Alexandria', city: 'sydney', model: 'Ostrelle vBrim', kind: 'routingAppliance' },
  },
  connectors: [
    {
      name: 'lax-arena',
      group: 'matchmaking',
      to: 'cpe-lax-01',
      fields: siteFields(900, 65201, 'playa vista arena'),
      tags: ['live'],
    },
    {
      name: 'sjc-matchmaker',
      group: 'matchmaking',
      to: 'providerA/San Jose',
      fields: providerAFields('540018337710', 64901),
      tags: ['live', 'season-9'],
    },
    {
      name: 'sin-matchmaker',
      group: 'matchmaking',
      to: 'providerA/Singapore',
      fields: providerAFields('540018337711', 4200064902),
      tags: ['live'],
    },
    { name: 'syd-arena', group: 'matchmaking', to: 'vrt-syd-01', fields: siteFields(900, 65202), tags: ['live'] },
    {
      name: 'syd-matchmaker',
      group: 'matchmaking',
      to: 'providerC/Sydney',
      fields: providerCFields('5c2d1e0f-9b8a-4765-8c3d-2e1f0a9b8c7d/sydney/1', 'BPS_2G'),
      tags: ['live'],
    },
    { name: 'sea-studio', group: 'build-farm', to: 'cpe-sea-01', fields: siteFields(120, 65203), tags: ['build'] },
    { name: 'yul-studio', group: 'build-farm', to: 'cpe-yul-01', fields: siteFields(120, 65204), tags: ['build'] },
    {
      name: 'ord-render',
      group: 'build-farm',
      to: 'providerC/Chicago',
      fields: providerCFields('b7a6f5e4-d3c2-41b0-9f8e-7d6c5b4a3928/chicago/1', 'BPS_10G', 50),
      tags: ['build'],
    },
    {
      name: 'sea-build',
      group: 'build-farm',
      to: 'providerAHostedConnection/Seattle',
      fields: hostedConnectionFields('540018337720', 64903, '10Gbps'),
      tags: ['build'],
    },
    {
      name: 'iad-accounts',
      group: 'player-data',
      to: 'providerB/Ashburn',
      fields: providerBFields('2e4f6a8c-0b1d-4e3f-a5c7-9d0e1f2a3b4c', '172.31.40.0/30', '172.31.40.4/30'),
      tags: ['live'],
      legacy: true,
    },
    {
      name: 'dfw-telemetry',
      group: 'player-data',
      to: 'providerA/Dallas',
      fields: providerAFields('540018337730', 64904),
    },
    {
      name: 'nyc-legacy-billing',
      group: 'player-data',
      to: 'providerB/New York',
      fields: providerBFields('6c8e0a2b-4d5f-4a1c-b3e5-7f9a0b1c2d3e'),
      description: 'Taken over from the former carrier',
      legacy: true,
    },
  ],
  links: [
    { name: 'lax-arena--sjc-matchmaker', from: 'lax-arena', to: 'sjc-matchmaker', tags: ['live'], deploy: true },
    { name: 'sjc-matchmaker--sin-matchmaker', from: 'sjc-matchmaker', to: 'sin-matchmaker', tags: ['live'] },
    { name: 'syd-arena--syd-matchmaker', from: 'syd-arena', to: 'syd-matchmaker', tags: ['live'] },
    {
      name: 'syd-matchmaker--sjc-matchmaker',
      from: 'syd-matchmaker',
      to: 'sjc-matchmaker',
      tags: ['live', 'season-9'],
    },
    { name: 'sea-studio--sea-build', from: 'sea-studio', to: 'sea-build', tags: ['build'] },
    { name: 'yul-studio--ord-render', from: 'yul-studio', to: 'ord-render', tags: ['build'] },
    { name: 'sea-studio--ord-render', from: 'sea-studio', to: 'ord-render', tags: ['build'] },
    { name: 'iad-accounts--dfw-telemetry', from: 'iad-accounts', to: 'dfw-telemetry' },
    { name: 'nyc-billing--iad-accounts', from: 'nyc-legacy-billing', to: 'iad-accounts', legacy: true },
  ],
};

const labs: DemoNetwork = {
  tags: { experiment: { color: '#5b5ea6', description: 'May go away any day' } },
  spareProducts: { 'providerA/north-america': 1, 'providerC/north-america': 0 },
  capacities: { canada: { gbps: 2, months: 12, regions: ['north-america'] } },
  groups: { research: { description: 'Generative levels', tags: ['experiment'], allocations: { canada: 1500 } } },
  appliances: { 'vrt-yyz-01': { site: 'Toronto, 200 Bay Street', city: 'toronto', model: 'Ostrelle vBrim' } },
  connectors: [
    { name: 'yyz-lab', group: 'research', to: 'vrt-yyz-01', fields: siteFields(10, 65301) },
    {
      name: 'yul-training',
      group: 'research',
      to: 'providerC/Montreal',
      fields: providerCFields('0f1e2d3c-4b5a-4968-8776-655443322110/montreal/1', 'BPS_1G'),
      tags: ['experiment'],
    },
  ],
  links: [{ name: 'yyz-lab--yul-training', from: 'yyz-lab', to: 'yul-training', tags: ['experiment'] }],
};

const meridian: DemoNetwork = {
  tags: { backbone: { color: '#2f4f4f', description: 'The exchange’s own' } },
  spareProducts: { 'providerA/europe': 3, 'providerB/europe': 2 },
  capacities: { europe: { gbps: 100, months: 60, regions: ['europe'] } },
  groups: {
    'exchange-operations': {
      description: 'Monitoring, tickets and backups of the exchange itself',
      tags: ['backbone'],
      allocations: { europe: 10000 },
    },
  },
  appliances: {
    'cpe-ams-sp-01': { site: 'Amsterdam, Science Park 121', city: 'amsterdam', model: 'CV-9600', tags: ['backbone'] },
  },
  connectors: [
    {
      name: 'ams-noc',
      group: 'exchange-operations',
      to: 'cpe-ams-sp-01',
      fields: siteFields(2, 65001, 'science park noc'),
    },
    {
      name: 'ams-monitoring',
      group: 'exchange-operations',
      to: 'providerA/Amsterdam',
      fields: providerAFields('104477200031', 64701),
    },
    {
      name: 'fra-backups',
      group: 'exchange-operations',
      to: 'providerB/Frankfurt',
      fields: providerBFields('a4c6e8f0-1b3d-4f5a-8c7e-9d0b2c4e6f81'),
    },
  ],
  links: [
    { name: 'ams-noc--ams-monitoring', from: 'ams-noc', to: 'ams-monitoring', tags: ['backbone'] },
    { name: 'ams-noc--fra-backups', from: 'ams-noc', to: 'fra-backups', tags: ['backbone'] },
  ],
};

export const networks = { meridian, atlas, boreal, cobalt, labs };
