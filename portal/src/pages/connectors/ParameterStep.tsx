import { Alert, Grid, Loader, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { familyTitle } from '../../api/brand-names.ts';
import { Failure } from '../../components/ErrorAlert.tsx';
import { Fields, titleOf, type Values } from '../../components/FormFields.tsx';
import { type Draft, nameSpecs, parameterSpecs } from './connector-draft.ts';
import { problemsOf, type useCheck } from './useDryRun.ts';

type Check = ReturnType<typeof useCheck>;

export function ParameterStep({
  draft,
  onChange,
  check,
}: {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  check: Check;
}) {
  // Nobody is scolded for what they have not come to yet.
  const [touched, setTouched] = useState(new Set<string>());
  const write = (values: Values) => {
    const changed = Object.keys(values).filter((name) => values[name] !== draft.values[name]);
    setTouched((before) => new Set([...before, ...changed]));
    onChange({ values });
  };
  const problems = problemsOf(check.problem, touched);
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack>
          <Fields specs={nameSpecs} values={draft.values} problems={problems} onChange={write} />
          <Title order={2}>{familyTitle(draft.family)}</Title>
          <Fields specs={parameterSpecs(draft.family)} values={draft.values} problems={problems} onChange={write} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Verdict check={check} />
      </Grid.Col>
    </Grid>
  );
}

/** What the server says of it as it stands. */
export function Verdict({ check }: { check: Check }) {
  if (check.error) return <Failure error={check.error} title="The server could not be asked" />;
  if (!check.problem && !check.prospect) return <Loader size="sm" aria-label="Asking the server" />;
  if (check.problem)
    return check.problem.details.length ? (
      <Alert title="Not ready yet" role="status" color="yellow">
        <Text size="sm">The server still needs or refuses:</Text>
        <ul>
          {check.problem.details.map(({ path, message }) => (
            <li key={path}>
              <strong>{titleOf(path.split('.').at(-1) ?? path)}</strong> {message}
            </li>
          ))}
        </ul>
      </Alert>
    ) : (
      <Failure error={check.problem} title="It could not be created" />
    );
  return <Prospect prospect={check.prospect as Prospected} />;
}

type Prospected = NonNullable<Check['prospect']>;

/** Every value that the platform would fill in, wherever it stands. */
function filledIn(value: unknown, name = ''): [string, string][] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => filledIn(inner, key));
  return value === null || value === undefined ? [] : [[name, String(value)]];
}

function Prospect({ prospect: { takes, filledIn: filled } }: { prospect: Prospected }) {
  const values = filledIn(filled);
  return (
    <Alert title="Ready" role="status" color="cord">
      {takes ? (
        <Text size="sm">
          It takes one of the {familyTitle(takes.family)} connectors in {takes.region}: {takes.used} of {takes.total}{' '}
          are used, <strong>{takes.spare} left</strong> before this one.
        </Text>
      ) : (
        <Text size="sm">It takes nothing from a product pool: a site is your own.</Text>
      )}
      {values.length > 0 && (
        <>
          <Text size="sm" mt="xs">
            The platform fills in:
          </Text>
          <ul>
            {values.map(([name, value]) => (
              <li key={name}>
                {titleOf(name)}: <span className="mono">{value}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Alert>
  );
}
