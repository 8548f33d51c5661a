// Draws a winner from a list of names, and keeps who was drawn and when in its working memory.

import { runProgram, SysError, type Json } from "agent-os/sdk";

runProgram(async (sys, input) => {
  const names = namesOf(input);
  await sys.write("/mem/working/names", names);

  // The drawn number is in the journal: a replay, or a restart after a crash, draws the same name.
  const drawn = await sys.random();
  const winner = names[Math.floor(drawn * names.length)]!;
  const [at] = await Promise.all([sys.now(), sys.write("/mem/working/winner", winner)]);

  console.log(`drew ${winner} from ${names.length}`); // Goes to standard error, and so to the log.
  return { winner, among: names.length, drawnAt: new Date(at).toISOString() };
});

function namesOf(input: Json): string[] {
  const names = typeof input === "string" ? input.split(/[\s,]+/).filter(Boolean) : input;
  if (
    !Array.isArray(names) ||
    names.length === 0 ||
    names.some((name) => typeof name !== "string")
  ) {
    throw new SysError("EINVAL", "the input is a list of names, or a text with names in it");
  }
  return names as string[];
}
