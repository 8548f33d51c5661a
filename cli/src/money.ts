// Money for people: four decimals, and more for smaller amounts.

export const money = (usd: number): string =>
  usd > 0 && usd < 0.0001 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(4)}`;
