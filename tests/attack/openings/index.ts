// Every opening, by the id of the attack that it lets through.

import { openingsA } from "./group-a.ts";
import { openingsB } from "./group-b.ts";
import { openingsC } from "./group-c.ts";
import { openingsD } from "./group-d.ts";
import { openingsE } from "./group-e.ts";
import { openingsF } from "./group-f.ts";
import { openingsG } from "./group-g.ts";
import { openingsH } from "./group-h.ts";
import { openingsI } from "./group-i.ts";
import { openingsJ } from "./group-j.ts";
import { openingsK } from "./group-k.ts";
import { openingsL } from "./group-l.ts";
import { openingsM } from "./group-m.ts";
import { openingsN } from "./group-n.ts";
import { openingsO } from "./group-o.ts";
import { openingsT } from "./group-t.ts";
import type { Opening } from "./opening.ts";

export const openings: Readonly<Record<string, Opening>> = {
  ...openingsA,
  ...openingsB,
  ...openingsC,
  ...openingsD,
  ...openingsE,
  ...openingsF,
  ...openingsG,
  ...openingsH,
  ...openingsI,
  ...openingsJ,
  ...openingsK,
  ...openingsL,
  ...openingsM,
  ...openingsN,
  ...openingsO,
  ...openingsT,
};

export function openingOf({ id }: { readonly id: string }): Opening {
  const opening = openings[id];
  if (opening === undefined) throw new Error(`nobody says what lets ${id} through`);
  return opening;
}
