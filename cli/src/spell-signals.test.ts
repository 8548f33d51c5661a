import { expect, test } from "vitest";
import { spellSignals } from "./spell-signals.ts";

test.each([
  [
    ["kill", "-KILL", "agt_1"],
    ["kill", "--signal", "KILL", "agt_1"],
  ],
  [
    ["kill", "agt_1", "-SIGUSR1"],
    ["kill", "agt_1", "--signal", "SIGUSR1"],
  ],
  [
    ["kill", "-9", "agt_1"],
    ["kill", "--signal", "9", "agt_1"],
  ],
  [
    ["kill", "-s", "INT", "-o", "json", "agt_1"],
    ["kill", "-s", "INT", "-o", "json", "agt_1"],
  ],
  [
    ["run", "x", "-INT"],
    ["run", "x", "-INT"],
  ],
])("the signal in %j is spelled as an option", (typed, spelled) => {
  expect(spellSignals(typed)).toEqual(spelled);
});
