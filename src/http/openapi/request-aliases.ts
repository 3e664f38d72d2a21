// Adds the aliases of fields to the schemas of request bodies: a client may send either spelling.
type Json = Record<string, unknown>;

/** Field names by the alias that bodies may use instead. */
export type Aliases = Record<string, string>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The schema of the alias; `x-alias` tells clients that build forms to leave it out. */
const aliasSchema = (schema: unknown, name: string): Json => ({
  ...(schema as Json),
  description: `Another spelling of ${name}; send one of the two`,
  'x-alias': true,
});

/** One of the spellings is required. Within `allOf`, generators intersect it with the other fields of the object. */
const anySpelling = (spellings: [string, unknown][]): Json => ({
  anyOf: spellings.map(([name, schema]) => ({ type: 'object', required: [name], properties: { [name]: schema } })),
});

function withObjectAliases(schema: Json, aliases: Aliases): Json {
  const properties: Json = {};
  const required = new Set((schema.required as string[] | undefined) ?? []);
  const allOf: Json[] = [];
  for (const [name, given] of Object.entries(schema.properties as Json)) {
    const inner = withAliases(given, aliases);
    const others = Object.keys(aliases).filter((alias) => aliases[alias] === name);
    const spellings: [string, unknown][] = [
      [name, inner],
      ...others.map((alias): [string, unknown] => [alias, aliasSchema(inner, name)]),
    ];
    if (others.length > 0 && required.delete(name)) allOf.push(anySpelling(spellings));
    else Object.assign(properties, Object.fromEntries(spellings));
  }
  const { required: _, ...rest } = schema;
  return {
    ...rest,
    ...(required.size ? { required: [...required] } : {}),
    properties,
    ...(allOf.length ? { allOf } : {}),
  };
}

/** The schema of a request body with all spellings of its fields. */
export function withAliases(schema: unknown, aliases: Aliases): unknown {
  if (Array.isArray(schema)) return schema.map((item) => withAliases(item, aliases));
  if (!isObject(schema)) return schema;
  if (isObject(schema.properties)) return withObjectAliases(schema, aliases);
  const nested = ['anyOf', 'items'].filter((key) => key in schema);
  return { ...schema, ...Object.fromEntries(nested.map((key) => [key, withAliases(schema[key], aliases)])) };
}
