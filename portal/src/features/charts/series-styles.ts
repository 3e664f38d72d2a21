// Colours and dashes that distinguish the lines of a chart.
const dashes: (number[] | undefined)[] = [undefined, [9, 4], [2, 3], [12, 3, 2, 3], [5, 3], [16, 5], [1, 4]];

export const seriesStyle = (index: number): { colour: string; dash?: number[] } => {
  const style = index % dashes.length;
  const dash = dashes[style];
  return { colour: `var(--trace-${style + 1})`, ...(dash ? { dash } : {}) };
};
