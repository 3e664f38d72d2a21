// npm run bench -- PART…: how fast it is, beside what people would use instead, in one run on one machine.
const parts: Record<string, { about: string; run: () => Promise<boolean> }> = {
  requests: {
    about: 'reading and making connectors among 100,000, beside a bare server that sends the same bytes',
    run: async () => (await import('./requests.ts')).benchRequests(),
  },
  metrics: {
    about: '12 million points in the embedded engine, InfluxDB and VictoriaMetrics: asking and writing',
    run: async () => (await import('./metrics.ts')).benchMetrics(),
  },
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in parts));
if (unknown.length) {
  console.error(`There is no part ${unknown.join(', ')}.`);
  console.error(
    `npm run bench -- PART…\n${Object.entries(parts)
      .map(([name, { about }]) => `  ${name.padEnd(10)}${about}`)
      .join('\n')}`,
  );
  process.exit(2);
}
let isReached = true;
for (const name of asked.length ? asked : Object.keys(parts))
  isReached = ((await parts[name]?.run()) ?? false) && isReached;
// What falls short is a result, and whoever asks for it in a script wants to know.
process.exit(isReached ? 0 : 1);
