// A host that forgets somebody who is named everywhere in its home. The first argument is the home.

import { open, WHO } from "../integration/memory/forgetting-home.ts";

const kernel = await open(process.argv[2]!);
await kernel.forgetMemory({ about: WHO, by: "dana" });
await kernel.close();
