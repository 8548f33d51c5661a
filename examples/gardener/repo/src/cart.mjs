// TODO: a discount above 100 makes the sum negative.
export const discounted = (sum, percent) => sum * (1 - percent / 100);
