// Ordinary words: the last words of type names that mean in Agent OS what they mean in any other system. docs/glossary.md
// has the words that need a definition; NAMES-2 (names.ts) accepts both lists.

export const ordinaryWords: readonly string[] = `
  access allowance amount answering application argument assembler authority base body branch bubblewrap
  buffer bundle cache caller case cdp change channel check child choice chunk client clock column commit comparer
  comparison condition config connection content contract conversation cost count counter cursor database
  declaration definition delivered delivery delta detail difference display document draft edge edit
  embeddings end entry env envelope environment error event exit failure features feed fetch filter finding flaw
  folder found gauge group guard head header health heap hello hierarchy history hook hop host hub image
  index inference info input inspection inspector instructions integrity invocation issuer item job key
  launch layer limit link list listener location lock log lookup mailbox manager match meaning media
  metadata meter methods mode model module mount multiplexer name needs note object observation operation origin
  otlp outcome output override overrun owner page pair paragraph parameter patch path pattern permission person
  pipeline plan price progress project purpose query queue rate read reader recording reference relay
  remote repetition reply reservation resource response result route row rule runner scan schema scope
  screen seatbelt selection selector self server service set setting settings shape share signer size
  snapshot socket source spawner spec start state statement statistics status step stepper stop stream
  suggestion sum summary support system table target task test text thoughts thread ticket time timeout
  timer times timing token toolbox toolchain transport tunnel upgrade usage use user value velocity vendor
  version visibility volume wait watch watcher window write
`
  .trim()
  .split(/\s+/);
