// Generated from the OpenAPI document by npm run client. Do not edit.
export type FormField = { name: string; help: string; isRequired: boolean; isSecret: boolean; choices?: string[]; isNumber?: boolean };

export const forms: Record<string, FormField[]> = {
  "providerA": [
    {
      "name": "providerAAddress",
      "help": "The provider’s end of the BGP session, CIDR",
      "isRequired": false,
      "isSecret": false
    },
    {
      "name": "asNumber",
      "help": "AS number, 2 or 4 bytes, as a plain number",
      "isRequired": true,
      "isSecret": false,
      "isNumber": true
    },
    {
      "name": "providerAAccount",
      "help": "Account number of twelve digits",
      "isRequired": true,
      "isSecret": false
    },
    {
      "name": "customerAddress",
      "help": "The customer’s end of the BGP session, CIDR",
      "isRequired": false,
      "isSecret": false
    },
    {
      "name": "platformAsNumber",
      "help": "AS number, 2 or 4 bytes, as a plain number",
      "isRequired": false,
      "isSecret": false,
      "isNumber": true
    }
  ],
  "providerAHostedConnection": [
    {
      "name": "asNumber",
      "help": "AS number, 2 or 4 bytes, as a plain number",
      "isRequired": true,
      "isSecret": false,
      "isNumber": true
    },
    {
      "name": "providerAAccount",
      "help": "Account number of twelve digits",
      "isRequired": true,
      "isSecret": false
    },
    {
      "name": "platformAsNumber",
      "help": "AS number, 2 or 4 bytes, as a plain number",
      "isRequired": false,
      "isSecret": false,
      "isNumber": true
    },
    {
      "name": "portSpeed",
      "help": "Speed of the connection; 50Mbps unless given",
      "isRequired": false,
      "isSecret": false,
      "choices": [
        "50Mbps",
        "100Mbps",
        "200Mbps",
        "300Mbps",
        "400Mbps",
        "500Mbps",
        "1Gbps",
        "2Gbps",
        "5Gbps",
        "10Gbps"
      ]
    }
  ],
  "providerB": [
    {
      "name": "serviceKey",
      "help": "Service key of the circuit. Stored sealed; an update without it leaves it unchanged",
      "isRequired": true,
      "isSecret": true
    },
    {
      "name": "platformAsNumber",
      "help": "AS number, 2 or 4 bytes, as a plain number",
      "isRequired": false,
      "isSecret": false,
      "isNumber": true
    },
    {
      "name": "primarySubnet",
      "help": "Subnet of the primary session, CIDR",
      "isRequired": false,
      "isSecret": false
    },
    {
      "name": "secondarySubnet",
      "help": "Subnet of the secondary session, CIDR",
      "isRequired": false,
      "isSecret": false
    }
  ],
  "providerC": [
    {
      "name": "bandwidth",
      "help": "Speed of the attachment; BPS_50M unless given",
      "isRequired": false,
      "isSecret": false,
      "choices": [
        "BPS_50M",
        "BPS_100M",
        "BPS_200M",
        "BPS_300M",
        "BPS_400M",
        "BPS_500M",
        "BPS_1G",
        "BPS_2G",
        "BPS_5G",
        "BPS_10G",
        "BPS_20G",
        "BPS_50G"
      ]
    },
    {
      "name": "med",
      "help": "Multi-exit discriminator of the announced routes",
      "isRequired": false,
      "isSecret": false,
      "isNumber": true
    },
    {
      "name": "pairingKey",
      "help": "Pairing key of the attachment. Stored sealed; an update without it leaves it unchanged",
      "isRequired": true,
      "isSecret": true
    },
    {
      "name": "platformAsNumber",
      "help": "AS number, 2 or 4 bytes, as a plain number",
      "isRequired": false,
      "isSecret": false,
      "isNumber": true
    }
  ],
  "entreprise": [
    {
      "name": "cloudApplianceCloudVirtualInterfaceIP",
      "help": "Address of the virtual interface",
      "isRequired": false,
      "isSecret": false
    },
    {
      "name": "cloudApplianceID",
      "help": "The appliance of the site",
      "isRequired": true,
      "isSecret": false
    },
    {
      "name": "cmeBGPKey",
      "help": "Key of the BGP session. Stored sealed; an update without it leaves it unchanged",
      "isRequired": false,
      "isSecret": true
    },
    {
      "name": "cmeGatewayIP",
      "help": "Address of the customer’s gateway",
      "isRequired": false,
      "isSecret": false
    },
    {
      "name": "cmeMask",
      "help": "Mask of the subnet, dotted",
      "isRequired": false,
      "isSecret": false
    },
    {
      "name": "customerASN",
      "help": "AS number, 2 or 4 bytes, as a plain number",
      "isRequired": true,
      "isSecret": false,
      "isNumber": true
    },
    {
      "name": "serviceCloudApplianceASN",
      "help": "AS number, 2 or 4 bytes, as a plain number",
      "isRequired": false,
      "isSecret": false,
      "isNumber": true
    },
    {
      "name": "vlan",
      "help": "VLAN, unique on its appliance",
      "isRequired": true,
      "isSecret": false,
      "isNumber": true
    }
  ]
};
