// Judges passwords in a thread of its own: a hostile one takes tens of milliseconds, which the service's only thread would lose.
import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common';
import { dictionary as english } from '@zxcvbn-ts/language-en';

const checker = new ZxcvbnFactory({
  dictionary: { ...common, ...english },
  graphs: adjacencyGraphs,
  // Of the spellings with digits and signs for letters the first 16 are tried: 100 take four times as long and decide the same.
  l33tMaxSubstitutions: 16,
});

parentPort?.on('message', ({ id, request }: { id: number; request: string[] }) => {
  parentPort?.postMessage({ id, response: Math.max(...request.map((text) => checker.check(text).score)) });
});
