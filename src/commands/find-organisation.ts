// Finds the organisation that the operator names.
import { OperatorError } from '../errors/operator-error.ts';
import { scopeOfOrganisation } from '../resources/organisations/operations.ts';
import { findOrganisationsByNameOrId } from '../resources/organisations/store.ts';
import { allTenants, type Database, type Scope } from '../store/database.ts';

export async function findOrganisation(database: Database, name: string): Promise<Scope & { name: string }> {
  const [found, second] = await findOrganisationsByNameOrId(database, allTenants, name);
  if (!found) throw new OperatorError(`There is no organisation ${JSON.stringify(name)}.`);
  if (second) throw new OperatorError(`Several organisations are named ${JSON.stringify(name)}. Give the id.`);
  return { ...scopeOfOrganisation(found), name: found.name };
}
