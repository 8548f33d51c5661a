// A host whose memory is tidied. The first argument is the home; the second, if there is one, what is taken back.

import { bootTidyHome } from "./tidy-home.ts";

const [, , home, id] = process.argv;
const kernel = await bootTidyHome(home!);
if (id === undefined) await kernel.tidyMemory({ by: "dana", olderThanMs: 1, maxRows: 5 });
else await kernel.untidyMemory({ by: "dana", id });
await kernel.close();
