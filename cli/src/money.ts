// Money for people: four digits, and more where it is less than that.

export const money = (usd: number): string =>
  usd > 0 && usd < 0.0001 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(4)}`;
