// Turn work: what every agent of the turn bench is asked, and what its model answers, in nobody's words.
//
// The model calls `echo` TURNS times, with other arguments each time, and then answers. What it says is a
// matter of how many results it is shown, so that the server keeps nothing and any number can ask at once.

export const TURNS = 20;
export const MODEL = "bench-model";
export const KEY = "sk-bench-0123456789abcdef";

export const SYSTEM = "You look things up with the echo tool, one at a time, and then answer in one sentence.";
export const QUESTION = "Look up the twenty entries of the register, and say what they come to.";
export const ANSWER = "The twenty entries come to two hundred and ten.";
export const TOOL = { name: "echo", description: "Return the arguments as they are." };

/** What the model calls the tool with, after so many results. About a hundred characters. */
export const argumentsOf = (turn) => ({
  key: `entry-${turn}`,
  text: `The entry ${turn} of the register, with its date, its amount and who wrote it down.`,
});
