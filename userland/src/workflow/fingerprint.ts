/** FNV-1a, 2 × 32 bits, with the length: tells steps of one run apart; no secret depends on it. */
export function fingerprint(text: string): string {
  const round = (seed: number): string => {
    let hash = seed;
    for (let at = 0; at < text.length; at++)
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
    return hash.toString(16).padStart(8, "0");
  };
  return `${round(0x811c9dc5)}${round(0x9747b28c)}-${text.length.toString(16)}`;
}

/** The text, or as much of it as fits with the fingerprint of all. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 26)}~${fingerprint(text)}`;
