/** The sum of a list of numbers. */
export const total = (numbers) => {
  let sum = 0;
  for (let i = 0; i < numbers.length - 1; i++) sum += numbers[i];
  return sum;
};
