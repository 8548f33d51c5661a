// What lets the attacks of group J (modes, rates, sequences) through, each by its id: see opening.ts.

import type { Opening } from "./opening.ts";

export const openingsJ: Readonly<Record<string, Opening>> = {
  J1: { configured: ["allow-all"] },
  J2: { configured: ["allow-all"] },
  J3: { configured: ["allow-all"] },
  J4: { configured: ["allow-all"] },
  J5: { configured: ["allow-all"] },
  J6: { configured: ["allow-all"] },
  J7: { configured: ["allow-all"] },
  J8: { configured: ["allow-all"] },
  J9: { configured: ["allow-all"] },
  J10: { configured: ["allow-all"] },
  J11: { configured: ["allow-all"] },
  J12: { configured: ["allow-all"] },
  J13: { configured: ["allow-all"] },
  J14: { configured: ["allow-all"] },
  J15: { configured: ["allow-all"] },
  J16: { configured: ["allow-all"] },
  J17: { configured: ["allow-all"] },
};
