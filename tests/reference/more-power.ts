// More power: may a spawn or a grant give somebody what its process cannot use itself?

import { parseCapability } from "@aos/kernel";
import type { Life, Lives, Told } from "./history.ts";
import type { Past } from "./past.ts";
import type { Chain } from "./power.ts";

const mayOnlyGrant = ({ blocks }: Chain): boolean =>
  blocks.at(-1)!.capabilities.some((text) => parseCapability(text).constraints.hold === "grant");

const isForGood = ({ from, blocks }: Chain): boolean =>
  from === -Infinity && blocks.every(({ revokedAt }) => revokedAt === Infinity);

/** Something that all processes of this agent hold, beside what they were born with. */
function mayBeGifted(agent: string, lives: Lives, { gifted }: Told): boolean {
  if (gifted === undefined || gifted.has(agent)) return true;
  const isGiven = ({ power }: Life) => power.holdings.some(({ handle }) => handle !== "birth");
  return [...lives.values()].some((life) => life.agent === agent && isGiven(life));
}

/** Both where it depends on when it was asked. */
export function mayHaveMore(past: Past, chains: readonly Chain[], lives: Lives, told: Told) {
  if (past.call !== "spawn" && past.call !== "grant") return [false];
  const given = chains.filter(mayOnlyGrant);
  if (given.some(isForGood)) return [true];
  const { agent } = past.args as { agent?: string };
  const mayBe =
    given.length > 0 ||
    (past.call === "spawn" && agent !== undefined && mayBeGifted(agent, lives, told));
  return mayBe ? [false, true] : [false];
}
