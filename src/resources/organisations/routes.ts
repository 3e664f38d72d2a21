// Routes of organisations.
import { Type } from 'typebox';
import { cachedRoute, type Route, route } from '../../http/route.ts';
import { parseSorts, sortParameter } from '../list-query.ts';
import { rejectReadOnlyChanges } from '../read-only-fields.ts';
import type { Permissions } from '../roles/permission-cache.ts';
import { nullable, singleLine, uuidSchema } from '../schemas.ts';
import type { Passwords } from '../users/passwords.ts';
import { emailSchema, passwordSchema } from '../users/wire.ts';
import {
  changeOrganisation,
  createChildOrganisation,
  listChildrenOf,
  lockOrganisationForUpdate,
  type OrganisationTools,
  readOrganisation,
} from './operations.ts';
import { reachableOrganisationId } from './rules.ts';
import { listChildren, sortColumns } from './store.ts';
import {
  organisationExample,
  organisationSchema,
  organisationWithChildrenSchema,
  wireChild,
  wireOrganisation,
} from './wire.ts';

const textSchema = Type.Optional(nullable(singleLine(255)));
const addressSchema = Type.Object({ street: textSchema, city: textSchema, zipcode: textSchema, country: textSchema });
const invoiceSchema = Type.Object({
  tvasubjection: Type.Optional(nullable(Type.Boolean())),
  tvanumber: textSchema,
  tvaintra: textSchema,
});
const phoneSchema = Type.Optional(nullable(singleLine(64)));
const params = Type.Object({ organisationId: uuidSchema() });
const readOnlyFields = ['id', 'irn', 'parentId', 'parent_id', 'reseller', 'capacities', 'createdAt', 'updatedAt'];
const nestedReadOnlyFields = ['id', 'organisationId', 'createdAt', 'updatedAt'];

const newOrganisationSchema = Type.Object({
  name: singleLine(255, 1),
  reseller: Type.Optional(Type.Boolean({ description: 'May have children of its own; cannot be changed later' })),
  phone: phoneSchema,
  address: Type.Optional(nullable(addressSchema)),
  invoice: Type.Optional(nullable(invoiceSchema)),
  admin: Type.Optional(
    Type.Object(
      {
        email: emailSchema,
        lastName: singleLine(255, 1),
        firstName: Type.Optional(nullable(singleLine(255))),
        password: Type.Optional(passwordSchema),
      },
      { description: 'Its first admin; without a password, a reset token is sent by mail' },
    ),
  ),
});

type Tools = OrganisationTools & { permissions: Permissions; passwords: Passwords };

const listChildrenRoute = cachedRoute(
  {
    method: 'GET',
    path: '/organisations',
    tag: 'Organisations',
    summary: 'List child organisations',
    permission: 'organisations:read:organisation',
    paging: 'offsets',
    query: Type.Object({ sort: sortParameter(sortColumns) }),
    answer: {
      schema: Type.Array(organisationSchema),
      description: 'Direct children of the organisation',
      example: [organisationExample],
    },
  },
  async ({ database, scope, query, page }) => {
    const { rows, total } = await listChildren(database, scope, parseSorts(query.sort, sortColumns), page);
    return { items: rows.map(wireOrganisation), total };
  },
);

const createOrganisationRoute = (tools: Tools): Route =>
  route(
    {
      method: 'POST',
      path: '/organisations',
      tag: 'Organisations',
      summary: 'Create a child organisation',
      description: 'For resellers.',
      permission: 'organisations:write:organisation',
      body: newOrganisationSchema,
      prepare: (body, { caller }) => tools.passwords.prepare(caller.userId, body.admin?.password),
      problems: ['NotReseller', 'MoreThanHeld', 'EmailTaken', 'PasswordTooWeak', 'ReadOnlyField', 'Busy'],
      requestExample: {
        name: 'Atlas Retail',
        admin: { email: 'admin@atlas.example', lastName: 'Okafor', firstName: 'Chidi' },
      },
      answer: {
        status: 201,
        schema: organisationSchema,
        description: 'The new organisation',
        example: organisationExample,
      },
    },
    async ({ database, scope, actor, caller, body, prepared }) => {
      const current = { parentId: scope.organisationId, parent_id: scope.organisationId };
      rejectReadOnlyChanges(
        body,
        current,
        readOnlyFields.filter((key) => key !== 'reseller'),
      );
      const { admin } = body;
      const input = {
        name: body.name,
        reseller: body.reseller ?? false,
        phone: body.phone ?? null,
        address: body.address ?? {},
        invoice: body.invoice ?? {},
        admin: admin && {
          email: admin.email,
          lastName: admin.lastName,
          firstName: admin.firstName ?? null,
          password: prepared,
        },
      };
      return wireOrganisation(await createChildOrganisation(database, scope, actor, tools, caller, input));
    },
  );

const readOrganisationRoute = route(
  {
    method: 'GET',
    path: '/organisations/{organisationId}',
    tag: 'Organisations',
    summary: 'Read an organisation',
    description:
      'Your own or a direct child. offset and limit page its children; Content-Range and Link refer to them.',
    permission: 'organisations:read:organisation',
    params,
    paging: 'offsets',
    volatile: ['children'],
    problems: ['NotFound'],
    answer: {
      schema: organisationWithChildrenSchema,
      description: 'The organisation with its children',
      example: {
        ...organisationExample,
        children: [
          { id: 'c2b0f7ee-3f0c-4b0e-9a67-5d1c6b0b8a21', name: 'Atlas Labs', reseller: false, childrenCount: 0 },
        ],
      },
    },
  },
  async ({ database, scope, caller, params: { organisationId }, page }) => {
    const id = reachableOrganisationId(caller.organisation.id, scope.organisationId, organisationId);
    const parent = await readOrganisation(database, scope, id);
    const { rows, total } = await listChildrenOf(database, scope, parent, page);
    const items = rows.map(wireChild);
    return { items, total, whole: { ...wireOrganisation(parent), children: items } };
  },
);

const changeOrganisationRoute = route(
  {
    method: 'PUT',
    path: '/organisations/{organisationId}',
    tag: 'Organisations',
    summary: 'Change an organisation',
    description: 'Absent keys are unchanged, null clears, address and invoice are merged field by field.',
    permission: 'organisations:write:organisation',
    params,
    body: Type.Object({
      name: Type.Optional(singleLine(255, 1)),
      phone: phoneSchema,
      address: Type.Optional(nullable(addressSchema)),
      invoice: Type.Optional(nullable(invoiceSchema)),
    }),
    problems: ['NotFound', 'ReadOnlyField'],
    requestExample: { phone: '+33 4 91 55 01 01', address: { street: '14 Quai des Docks' } },
    answer: { schema: organisationSchema, description: 'The changed organisation', example: organisationExample },
  },
  async ({ database, scope, actor, caller, params: { organisationId }, body }) => {
    const current = await lockOrganisationForUpdate(
      database,
      scope,
      reachableOrganisationId(caller.organisation.id, scope.organisationId, organisationId),
    );
    const wire = wireOrganisation(current);
    rejectReadOnlyChanges(body, wire, readOnlyFields);
    rejectReadOnlyChanges(body.address, wire.address, nestedReadOnlyFields, 'address.');
    rejectReadOnlyChanges(body.invoice, wire.invoice, nestedReadOnlyFields, 'invoice.');
    return wireOrganisation(await changeOrganisation(database, scope, actor, current, body));
  },
);

export const organisationRoutes = (tools: Tools): Route[] => [
  listChildrenRoute,
  createOrganisationRoute(tools),
  readOrganisationRoute,
  changeOrganisationRoute,
];
