// npm run admin -- audit export, audit prune.
import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '../../errors/operator-error.ts';
import { explainFileError, rejectExistingFile, writeNewFile } from '../../host/new-file.ts';
import { pruneAuditTrail, readAuditedOrganisations, readAuditTrail } from '../../resources/audit/operations.ts';
import { latestPruneTime, minAgeDays } from '../../resources/audit/rules.ts';
import { countEntriesBefore, listOldestEntries } from '../../resources/audit/store.ts';
import { findOrganisationsByNameOrId } from '../../resources/organisations/store.ts';
import { allTenants, type Scope } from '../../store/database.ts';
import { parseIrn } from '../../values/irn.ts';
import { toDatabaseTimestamp } from '../../values/timestamps.ts';
import { isUuid } from '../../values/uuid.ts';
import { printToStderr } from '../cli.ts';
import { findOrganisation } from '../find-organisation.ts';
import { type AdminContext, actor, ChangeReport, count, isDryRun, requireFlag, type Subcommand } from './subcommand.ts';

/** A day, from its beginning in UTC, or an RFC 3339 time. */
function parseTime(name: string, text: string): string {
  const time = toDatabaseTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (time) return time;
  throw new OperatorError(
    `--${name} is ${JSON.stringify(text)}, but must be a day such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z.`,
  );
}

/** The organisation of --organisation. The trail of a removed one is found by its id. */
async function selectOrganisation({ store, flags: { organisation } }: AdminContext): Promise<string | undefined> {
  if (organisation === undefined) return undefined;
  if (isUuid(organisation)) return organisation.toLowerCase();
  return (await store.read(allTenants, (database) => findOrganisation(database, organisation))).organisationId;
}

async function* readLines(context: AdminContext, onEntry: () => void): AsyncGenerator<string, void> {
  const { store, flags } = context;
  const filter = {
    from: flags.after === undefined ? undefined : parseTime('after', flags.after),
    until: flags.before === undefined ? undefined : parseTime('before', flags.before),
  };
  for await (const entry of readAuditTrail(store, await selectOrganisation(context), filter)) {
    onEntry();
    yield `${JSON.stringify(entry)}\n`;
  }
}

export const auditExport: Subcommand = {
  usage: `npm run admin -- audit export [FILE] [--organisation NAME|ID] [--after TIME] [--before TIME] [settings]

Writes the audit trail as JSON lines, in the format of GET /audit, to a file or to standard output: one organisation
after the other, removed ones included, the oldest entries first. The file gets its name when it is complete and synced
to disk; an existing file is never replaced.

  --after TIME, --before TIME   only entries from this time on, before this time: 2026-01-31 or 2026-01-31T12:00:00Z`,
  flags: ['organisation', 'after', 'before'],
  switches: [],
  maxWords: 1,
  async run(context) {
    const [word] = context.words;
    let entries = 0;
    const lines = Readable.from(readLines(context, () => entries++));
    if (word === undefined) await pipeline(lines, process.stdout, { end: false });
    else {
      const file = resolve(word);
      await rejectExistingFile(file);
      await writeNewFile(file, (draft) =>
        pipeline(lines, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true })),
      ).catch((error) => {
        throw explainFileError(error, file);
      });
    }
    printToStderr(`${count(entries, 'audit entry', 'audit entries')} written${word ? ` to ${resolve(word)}` : ''}.`);
  },
};

function parseLimit(context: AdminContext): string {
  const text = requireFlag(context, 'before');
  const until = parseTime('before', text);
  const latest = latestPruneTime(new Date()).toISOString();
  if (until > latest)
    throw new OperatorError(
      `--before is ${text}, but entries of the last ${minAgeDays} days are never deleted: ` +
        `the latest possible time is ${latest.slice(0, 19)}Z.`,
    );
  return until;
}

/** The name and scope of an organisation. Of a removed one, only its entries still tell the code. */
async function describeOrganisation({ store }: AdminContext, id: string): Promise<{ name: string; scope: Scope }> {
  return store.read(allTenants, async (database) => {
    const [found] = await findOrganisationsByNameOrId(database, allTenants, id);
    if (found) return { name: found.name, scope: { organisationId: id, organisationCode: found.code } };
    const [entry] = await listOldestEntries(database, allTenants, id, {}, undefined, 1);
    const organisationCode = parseIrn(entry?.service_irn ?? '')?.owner ?? '';
    return { name: 'removed organisation', scope: { organisationId: id, organisationCode } };
  });
}

export const auditPrune: Subcommand = {
  usage: `npm run admin -- audit prune --before TIME [--organisation NAME|ID] [--dry-run] [settings]

Deletes audit entries before a time, the oldest first, in steps of 5,000. Export them first with the same --before and
--organisation. Entries of the last ${minAgeDays} days are never deleted. An entry about the deletion is written before the
first one is deleted. When the command is killed, run it again.

  --before TIME   2026-01-31 (its beginning in UTC) or 2026-01-31T12:00:00Z
  --dry-run       prints how many entries would be deleted, and deletes nothing`,
  flags: ['before', 'organisation'],
  switches: ['dry-run'],
  async run(context) {
    const { store } = context;
    const until = parseLimit(context);
    const only = await selectOrganisation(context);
    const report = new ChangeReport(context);
    for await (const id of only === undefined ? readAuditedOrganisations(store) : [only]) {
      const { name, scope } = await describeOrganisation(context, id);
      const deleted = isDryRun(context)
        ? await store.read(scope, (database) => countEntriesBefore(database, scope, until))
        : await pruneAuditTrail(store, scope, actor, name, until);
      if (deleted)
        report.add([`${name} (${id}): ${count(deleted, 'audit entry', 'audit entries')} before ${until} deleted`]);
    }
    report.end();
  },
};
