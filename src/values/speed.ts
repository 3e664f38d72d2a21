// Speeds of ports and products.

/** `50Mbps`, `10Gbps`, `BPS_50M` or `BPS_1G` in bits per second. */
export function parseSpeed(text: string): number | undefined {
  const [, plain, plainUnit, coded, codedUnit] =
    /^(?:([1-9]\d{0,4})([MG])bps|BPS_([1-9]\d{0,4})([MG]))$/.exec(text) ?? [];
  const unit = plainUnit ?? codedUnit;
  return unit === undefined ? undefined : Number(plain ?? coded) * (unit === 'G' ? 1e9 : 1e6);
}
