// Lines that stand for things of one kind differ by colour and by their dashes.
const dashes: (number[] | undefined)[] = [undefined, [9, 4], [2, 3], [12, 3, 2, 3], [5, 3], [16, 5], [1, 4]];

export const seriesStyle = (index: number): { colour: string; dash?: number[] } => {
  const place = index % dashes.length;
  const dash = dashes[place];
  return { colour: `var(--trace-${place + 1})`, ...(dash ? { dash } : {}) };
};
