// npm run floors: draws the floors of src/ with the imports between them into docs/floors.svg. A test compares the drawing with
// the source.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { floorOf, importsOf, server, sourceFiles } from './import-graph.ts';

const rowHeight = 34;
const boxLeft = 24;
const boxWidth = 620;
const arcStep = 13;
const top = 64;

const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The number of imports between two floors, downwards as `from → to`. */
function countEdges(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { from, to } of importsOf(server.folder)) {
    const key = `${floorOf(server, from)} ${floorOf(server, to)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

const middleOf = (row: number): number => top + row * rowHeight + rowHeight / 2 - 3;

/** An arc to the right of the boxes. Longer arcs lie further out. An import that goes up is red. */
function drawArc(fromRow: number, toRow: number, count: number): string {
  const isUp = toRow < fromRow;
  const right = boxLeft + boxWidth;
  const reach = right + 24 + Math.abs(toRow - fromRow) * arcStep;
  const [start, end] = [middleOf(fromRow), middleOf(toRow)];
  const width = Math.min(6, 0.6 + Math.log2(count + 1) * 0.7).toFixed(2);
  const title = `${server.floors[fromRow]?.name} imports ${server.floors[toRow]?.name}: ${count}`;
  return `<path class="${isUp ? 'up' : 'down'}" stroke-width="${width}" d="M${right} ${start} C${reach} ${start} ${reach} ${end} ${right + 7} ${end}" marker-end="url(#head)"><title>${escapeXml(title)}</title></path>`;
}

export function drawFloors(): string {
  const { floors } = server;
  const rows = new Map(floors.map(({ name }, row) => [name, row]));
  const files = Map.groupBy(sourceFiles(server.folder), (file) => floorOf(server, file));
  const edges = [...countEdges()].flatMap(([key, count]) => {
    const [from = '', to = ''] = key.split(' ');
    return from === to ? [] : [drawArc(rows.get(from) ?? 0, rows.get(to) ?? 0, count)];
  });
  const boxes = floors.map(({ name, purpose }, row) => {
    const y = top + row * rowHeight;
    const count = files.get(name)?.length ?? 0;
    const size = name.includes('.') ? '' : `${count} ${count === 1 ? 'file' : 'files'}`;
    return `<rect x="${boxLeft}" y="${y}" width="${boxWidth}" height="${rowHeight - 6}" rx="5"/><text class="name" x="${boxLeft + 12}" y="${y + 19}">${name}</text><text x="${boxLeft + 150}" y="${y + 19}">${escapeXml(purpose)}</text><text class="size" x="${boxLeft + boxWidth - 12}" y="${y + 19}">${size}</text>`;
  });
  const height = top + floors.length * rowHeight + 16;
  const width = boxLeft + boxWidth + 330;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="The floors of src/ and the imports between them">
<style>
.page { fill: #ffffff } rect.box, rect { fill: #eef3f8; stroke: #b8c7d6 } .page { stroke: none }
text { fill: #3a4653 } .name { font-weight: 600; fill: #14212e } .size { text-anchor: end; fill: #6b7886 } .title { font-size: 16px; font-weight: 600 }
path.down { fill: none; stroke: #3b74a8; stroke-opacity: 0.45 } path.up { fill: none; stroke: #c0271c } marker path { fill: #3b74a8 }
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>
<rect class="page" x="0" y="0" width="${width}" height="${height}"/>
<text class="title" x="${boxLeft}" y="28">Floors of src/</text><text x="${boxLeft}" y="48">An arrow is an import; its width grows with the number of imports. Imports go down only.</text>
${edges.join('\n')}
${boxes.join('\n')}
</svg>
`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../docs/floors.svg'), drawFloors());
