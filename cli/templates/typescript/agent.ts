// Draws a winner from a list of names, and keeps the winner in its working memory.

import { runProgram } from "agent-os/sdk";

runProgram(async (sys, input) => {
  const names = String(input)
    .split(/[\s,]+/)
    .filter(Boolean);
  // The drawn number is in the journal: a replay, or a restart after a crash, draws the same name.
  const drawn = await sys.random();
  const winner = names[Math.floor(drawn * names.length)] ?? null;
  await sys.write("/mem/working/winner", winner);
  return { winner, among: names.length };
});
