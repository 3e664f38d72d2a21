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
  dryRun,
}: {
  draft: ConnectorDraft;
  onChange: (change: Partial<ConnectorDraft>) => void;
  dryRun: DryRun;
}) {
  // Errors are shown only for fields that the user has changed.
  const [touched, setTouched] = useState(new Set<string>());
  const write = (values: FormValues) => {
    const changed = Object.keys(values).filter((name) => values[name] !== draft.values[name]);
    setTouched((before) => new Set([...before, ...changed]));
    onChange({ values });
  };
  const problems = problemsOfTouched(dryRun.problem, touched);
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
        <DryRunResult dryRun={dryRun} />
      </Grid.Col>
    </Grid>
  );
}

/** Whether the server would accept the current input. */
export function DryRunResult({ dryRun }: { dryRun: DryRun }) {
  if (dryRun.error) return <ErrorAlert error={dryRun.error} title="Validation failed" />;
  if (!dryRun.problem && !dryRun.accepted) return <Loader size="sm" aria-label="Validating" />;
  if (dryRun.problem)
    return dryRun.problem.details.length ? (
      <Alert title="Not ready yet" role="status" color="yellow">
        <Text size="sm">These fields are missing or invalid:</Text>
        <ul>
          {dryRun.problem.details.map(({ path, message }) => (
            <li key={path}>
              <strong>{fieldLabel(path.split('.').at(-1) ?? path)}</strong> {message}
            </li>
          ))}
        </ul>
      </Alert>
    ) : (
      <ErrorAlert error={dryRun.problem} title="The connector cannot be created" />
    );
  return <Accepted accepted={dryRun.accepted as AcceptedConnector} />;
}

type AcceptedConnector = NonNullable<DryRun['accepted']>;

/** The values that the platform would fill in, from any depth. */
function filledInValues(value: unknown, name = ''): [string, string][] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => filledInValues(inner, key));
  return value === null || value === undefined ? [] : [[name, String(value)]];
}

function Accepted({ accepted: { takes, filledIn: filled } }: { accepted: AcceptedConnector }) {
  const values = filledInValues(filled);
  return (
    <Alert title="Ready" role="status" color="accent">
      {takes ? (
        <Text size="sm">
          Uses one {familyTitle(takes.family)} connector in {takes.region}: {takes.used} of {takes.total} are used,{' '}
          <strong>{takes.spare} left</strong> before this one.
        </Text>
      ) : (
        <Text size="sm">Sites do not use a product pool.</Text>
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
