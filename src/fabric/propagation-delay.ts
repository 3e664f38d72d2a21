// How long light takes between two cities.

export interface Coordinates {
  latitude: number;
  longitude: number;
}

const earthRadiusKm = 6371;
/** Light in glass. */
const kmPerMs = 200;
/** Cables do not lie along great circles. */
const detour = 1.3;
/** Equipment at the two ends. */
const leastMs = 0.25;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

export function distanceKm(a: Coordinates, b: Coordinates): number {
  const half = (from: number, to: number): number => Math.sin(radians(to - from) / 2) ** 2;
  const chord =
    half(a.latitude, b.latitude) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(a.longitude, b.longitude);
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/** One way, to a hundredth of a millisecond. */
export const delayMs = (a: Coordinates, b: Coordinates): number =>
  Math.round((leastMs + (distanceKm(a, b) * detour) / kmPerMs) * 100) / 100;
