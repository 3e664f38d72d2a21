// Propagation delay of light in fibre between two cities.

export interface Coordinates {
  latitude: number;
  longitude: number;
}

const earthRadiusKm = 6371;
/** Speed of light in glass. */
const kmPerMs = 200;
/** Fibre routes are longer than great circles. */
const detour = 1.3;
/** Delay of the equipment at both ends. */
const equipmentMs = 0.25;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

export function distanceKm(a: Coordinates, b: Coordinates): number {
  const half = (from: number, to: number): number => Math.sin(radians(to - from) / 2) ** 2;
  const chord =
    half(a.latitude, b.latitude) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(a.longitude, b.longitude);
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/** One way, rounded to hundredths of a millisecond. */
export const delayMs = (a: Coordinates, b: Coordinates): number =>
  Math.round((equipmentMs + (distanceKm(a, b) * detour) / kmPerMs) * 100) / 100;
