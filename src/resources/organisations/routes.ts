import { Type } from 'typebox';
import { cachedRoute, type Route, route } from '../../http/route.ts';
import { rejectReadOnlyChanges } from '../immutable-fields.ts';
import { sortBy, sortsOf } from '../list-query.ts';
import type { Permissions } from '../roles/permission-cache.ts';
import { nullable, singleLine, uuidSchema } from '../schemas.ts';
import type { Passwords } from '../users/passwords.ts';
import { email, password } from '../users/wire.ts';
import {
  changeOrganisation,
  createChild,
  lockOrganisationForUpdate,
  type OrganisationTools,
  readChildren,
  readOrganisation,
} from './operations.ts';
import { reachable } from './rules.ts';
import { listChildren, sortColumns } from './store.ts';
import { example, organisation, organisationWithChildren, wireChild, wireOrganisation } from './wire.ts';

const text = Type.Optional(nullable(singleLine(255)));
const address = Type.Object({ street: text, city: text, zipcode: text, country: text });
const invoice = Type.Object({
  tvasubjection: Type.Optional(nullable(Type.Boolean())),
  tvanumber: text,
  tvaintra: text,
});
const phone = Type.Optional(nullable(singleLine(64)));
const params = Type.Object({ organisationId: uuidSchema() });
const readOnly = ['id', 'irn', 'parentId', 'parent_id', 'reseller', 'capacities', 'createdAt', 'updatedAt'];
const partReadOnly = ['id', 'organisationId', 'createdAt', 'updatedAt'];

const newOrganisation = Type.Object({
  name: singleLine(255, 1),
  reseller: Type.Optional(Type.Boolean({ description: 'May it have children of its own? Decided now, for good.' })),
  phone,
  address: Type.Optional(nullable(address)),
  invoice: Type.Optional(nullable(invoice)),
  admin: Type.Optional(
    Type.Object(
      {
        email,
        lastName: singleLine(255, 1),
        firstName: Type.Optional(nullable(singleLine(255))),
        password: Type.Optional(password),
      },
      { description: 'Its first admin; without a password a mail with a reset token goes out' },
    ),
  ),
});

export const organisationRoutes = (
  tools: OrganisationTools & { permissions: Permissions; passwords: Passwords },
): Route[] => [
  cachedRoute(
    {
      method: 'GET',
      path: '/organisations',
      tag: 'Organisations',
      summary: 'List child organisations',
      permission: 'organisations:read:organisation',
      paging: 'offsets',
      query: Type.Object({ sort: sortBy(sortColumns) }),
      answer: {
        schema: Type.Array(organisation),
        description: 'Direct children of the organisation',
        example: [example],
      },
    },
    async ({ database, scope, query, page }) => {
      const { rows, total } = await listChildren(database, scope, sortsOf(query.sort, sortColumns), page);
      return { items: rows.map(wireOrganisation), total };
    },
  ),
  route(
    {
      method: 'POST',
      path: '/organisations',
      tag: 'Organisations',
      summary: 'Create a child organisation',
      description: 'For resellers.',
      permission: 'organisations:write:organisation',
      body: newOrganisation,
      prepare: (body) => tools.passwords.prepare(body.admin?.password),
      problems: ['NotReseller', 'MoreThanHeld', 'EmailTaken', 'PasswordTooWeak', 'ReadOnlyField', 'Busy'],
      requestExample: {
        name: 'Atlas Retail',
        admin: { email: 'admin@atlas.example', lastName: 'Okafor', firstName: 'Chidi' },
      },
      answer: { status: 201, schema: organisation, description: 'The new organisation', example },
    },
    async ({ database, scope, actor, caller, body, prepared }) => {
      const stands = { parentId: scope.organisationId, parent_id: scope.organisationId };
      rejectReadOnlyChanges(
        body,
        stands,
        readOnly.filter((key) => key !== 'reseller'),
      );
      const { admin } = body;
      const wish = {
        name: body.name,
        reseller: body.reseller ?? false,
        phone: body.phone ?? null,
        address: body.address ?? {},
        invoice: body.invoice ?? {},
        admin: admin && {
          email: admin.email,
          lastName: admin.lastName,
          firstName: admin.firstName ?? null,
          secret: prepared,
        },
      };
      return wireOrganisation(await createChild(database, scope, actor, tools, caller, wish));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/organisations/{organisationId}',
      tag: 'Organisations',
      summary: 'Read an organisation',
      description:
        'Your own or a direct child. offset and limit page its children; Content-Range and Link speak of them.',
      permission: 'organisations:read:organisation',
      params,
      paging: 'offsets',
      volatile: ['children'],
      problems: ['NotFound'],
      answer: {
        schema: organisationWithChildren,
        description: 'The organisation with its children',
        example: {
          ...example,
          children: [
            { id: 'c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21', name: 'Atlas Labs', reseller: false, childrenCount: 0 },
          ],
        },
      },
    },
    async ({ database, scope, caller, params: { organisationId }, page }) => {
      const id = reachable(caller.organisation.id, scope.organisationId, organisationId);
      const found = await readOrganisation(database, scope, id);
      const { rows, total } = await readChildren(database, scope, found, page);
      const items = rows.map(wireChild);
      return { items, total, whole: { ...wireOrganisation(found), children: items } };
    },
  ),
  route(
    {
      method: 'PUT',
      path: '/organisations/{organisationId}',
      tag: 'Organisations',
      summary: 'Change an organisation',
      description: 'Absent keys stay, null clears, address and invoice are merged field by field.',
      permission: 'organisations:write:organisation',
      params,
      body: Type.Object({
        name: Type.Optional(singleLine(255, 1)),
        phone,
        address: Type.Optional(nullable(address)),
        invoice: Type.Optional(nullable(invoice)),
      }),
      problems: ['NotFound', 'ReadOnlyField'],
      requestExample: { phone: '+33 4 91 55 01 01', address: { street: '14 Quai des Docks' } },
      answer: { schema: organisation, description: 'The changed organisation', example },
    },
    async ({ database, scope, actor, caller, params: { organisationId }, body }) => {
      const current = await lockOrganisationForUpdate(
        database,
        scope,
        reachable(caller.organisation.id, scope.organisationId, organisationId),
      );
      const stands = wireOrganisation(current);
      rejectReadOnlyChanges(body, stands, readOnly);
      rejectReadOnlyChanges(body.address, stands.address, partReadOnly, 'address.');
      rejectReadOnlyChanges(body.invoice, stands.invoice, partReadOnly, 'invoice.');
      return wireOrganisation(await changeOrganisation(database, scope, actor, current, body));
    },
  ),
];
