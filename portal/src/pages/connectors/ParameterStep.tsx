import { Alert, Grid, Loader, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { familyTitle } from '../../api/brand-names.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { FormFields, type FormValues, fieldLabel } from '../../components/FormFields.tsx';
import { type ConnectorDraft, nameFieldSpecs, parameterFieldSpecs } from './connector-draft.ts';
import { problemsOfTouched, type useDryRun } from './useDryRun.ts';

type DryRun = ReturnType<typeof useDryRun>;

export function ParameterStep({
  draft,
  onChange,
  check,
}: {
  draft: ConnectorDraft;
  onChange: (change: Partial<ConnectorDraft>) => void;
  check: DryRun;
}) {
  // Nobody is scolded for what they have not come to yet.
  const [touched, setTouched] = useState(new Set<string>());
  const write = (values: FormValues) => {
    const changed = Object.keys(values).filter((name) => values[name] !== draft.values[name]);
    setTouched((before) => new Set([...before, ...changed]));
    onChange({ values });
  };
  const problems = problemsOfTouched(check.problem, touched);
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack>
          <FormFields specs={nameFieldSpecs} values={draft.values} problems={problems} onChange={write} />
          <Title order={2}>{familyTitle(draft.family)}</Title>
          <FormFields
            specs={parameterFieldSpecs(draft.family)}
            values={draft.values}
            problems={problems}
            onChange={write}
          />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <DryRunResult check={check} />
      </Grid.Col>
    </Grid>
  );
}

/** What the server says of it as it stands. */
export function DryRunResult({ check }: { check: DryRun }) {
  if (check.error) return <ErrorAlert error={check.error} title="The server could not be asked" />;
  if (!check.problem && !check.prospect) return <Loader size="sm" aria-label="Asking the server" />;
  if (check.problem)
    return check.problem.details.length ? (
      <Alert title="Not ready yet" role="status" color="yellow">
        <Text size="sm">The server still needs or refuses:</Text>
        <ul>
          {check.problem.details.map(({ path, message }) => (
            <li key={path}>
              <strong>{fieldLabel(path.split('.').at(-1) ?? path)}</strong> {message}
            </li>
          ))}
        </ul>
      </Alert>
    ) : (
      <ErrorAlert error={check.problem} title="It could not be created" />
    );
  return <Accepted prospect={check.prospect as AcceptedConnector} />;
}

type AcceptedConnector = NonNullable<DryRun['prospect']>;

/** Every value that the platform would fill in, wherever it stands. */
function filledInValues(value: unknown, name = ''): [string, string][] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => filledInValues(inner, key));
  return value === null || value === undefined ? [] : [[name, String(value)]];
}

function Accepted({ prospect: { takes, filledIn: filled } }: { prospect: AcceptedConnector }) {
  const values = filledInValues(filled);
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
                {fieldLabel(name)}: <span className="mono">{value}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Alert>
  );
}
