// Load of records that are created and deleted by name, such as roles.
import assert from 'node:assert/strict';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import { type Entry, type Ledger, matchesState } from './ledger.ts';

/** How records of a kind are created and deleted. */
export interface RecordType {
  kind: string;
  create: (client: Client, name: string) => Promise<ApiResponse>;
  remove: (client: Client, entry: Entry<string>) => Promise<ApiResponse>;
}

/** Creates records until `isOver`, and deletes the oldest of its own after every fifth, and while it has more than `most`. */
export async function createAndDelete(
  client: Client,
  type: RecordType,
  ledger: Ledger,
  prefix: string,
  isOver: () => boolean,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  const own: Entry<string>[] = [];
  for (let index = 0; !isOver(); index++) {
    const name = `${prefix}-${index}`;
    const send = () => type.create(client, name);
    const entry = await ledger.create({ kind: type.kind, name }, undefined, send, ({ text }) => text);
    if (entry) own.push(entry);
    const oldest = index % 5 === 4 || own.length > most ? own.shift() : undefined;
    if (oldest) await ledger.delete([oldest], () => type.remove(client, oldest));
  }
}

export const roles: RecordType = {
  kind: 'role',
  create: (client, role) =>
    client.post('/acl/roles', {
      role,
      policies: [{ act: 'GET', eft: 'allow', obj: '/audit', res: 'audit:read:organisation' }],
    }),
  remove: (client, { name }) => client.delete(`/acl/roles/${name}`),
};

export const builtInRoles = 4;

/** Compares the roles with the ledger, and their number with the audit trail. Returns what is lost. */
export async function verifyRoles(client: Client, ledger: Ledger): Promise<string[]> {
  const found: { role: string }[] = (await client.get('/acl/roles')).body;
  const countAudited = async (action: string) =>
    Number(
      (await client.get(`/audit?serviceType=role&action=${action}&limit=1`)).headers['content-range']?.split('/')[1],
    );
  assert.equal(
    (await countAudited('create')) - (await countAudited('delete')),
    found.length - builtInRoles,
    'audit entries and roles disagree',
  );
  const records = found.map((role) => ({ name: role.role, state: JSON.stringify(role) }));
  return ledger.compare(
    roles.kind,
    records,
    matchesState((state, acknowledged) => state === acknowledged),
  ).lost;
}
