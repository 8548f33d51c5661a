// Tiny GGUF: a real model of half a megabyte, with weights that mean nothing. The same bytes every time.
//
// Two layers of 64, and a vocabulary of bytes and printable characters, so that it can say anything, and
// with a grammar anything that fits.

const WIDTH = 64;
const FEED = 128;
const LAYERS = 2;
const HEADS = 4;
const CONTEXT = 2048;
const ALIGN = 32;

const U32 = 4;
const F32 = 6;
const STRING = 8;
const ARRAY = 9;
const I32 = 5;

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

export function tinyGguf(): Buffer {
  const tokens = vocabulary();
  const settings: Buffer[] = [
    setting("general.architecture", STRING, text("llama")),
    setting("general.name", STRING, text("tiny")),
    setting("llama.context_length", U32, u32(CONTEXT)),
    setting("llama.embedding_length", U32, u32(WIDTH)),
    setting("llama.block_count", U32, u32(LAYERS)),
    setting("llama.feed_forward_length", U32, u32(FEED)),
    setting("llama.attention.head_count", U32, u32(HEADS)),
    setting("llama.attention.head_count_kv", U32, u32(HEADS)),
    setting("llama.attention.layer_norm_rms_epsilon", F32, f32(1e-5)),
    setting("llama.rope.dimension_count", U32, u32(WIDTH / HEADS)),
    setting("tokenizer.ggml.model", STRING, text("llama")),
    setting(
      "tokenizer.ggml.tokens",
      ARRAY,
      list(
        STRING,
        tokens.map(({ word }) => text(word)),
      ),
    ),
    setting(
      "tokenizer.ggml.scores",
      ARRAY,
      list(
        F32,
        tokens.map((_, at) => f32(-at)),
      ),
    ),
    setting(
      "tokenizer.ggml.token_type",
      ARRAY,
      list(
        I32,
        tokens.map(({ kind }) => u32(kind)),
      ),
    ),
    setting("tokenizer.ggml.bos_token_id", U32, u32(1)),
    setting("tokenizer.ggml.eos_token_id", U32, u32(2)),
    setting("tokenizer.ggml.unknown_token_id", U32, u32(0)),
  ];

  const tensors = weights(tokens.length);
  const about: Buffer[] = [];
  const data: Buffer[] = [];
  let offset = 0;
  for (const { name, shape, values } of tensors) {
    about.push(text(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset));
    const bytes = padded(Buffer.from(values.buffer));
    data.push(bytes);
    offset += bytes.length;
  }
  const head = [Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(settings.length)];
  return Buffer.concat([padded(Buffer.concat([...head, ...settings, ...about])), ...data]);
}

/** Unknown, begin, end; every byte; what can be typed. */
function vocabulary(): { word: string; kind: number }[] {
  const control = ["<unk>", "<s>", "</s>"].map((word, at) => ({ word, kind: at === 0 ? 2 : 3 }));
  const bytes = Array.from({ length: 256 }, (_, byte) => ({
    word: `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
    kind: 6,
  }));
  const typed = Array.from({ length: 95 }, (_, at) => ({
    word: at === 0 ? "\u2581" : String.fromCharCode(32 + at),
    kind: 1,
  }));
  return [...control, ...bytes, ...typed];
}

function weights(words: number): Tensor[] {
  let state = 0x2545_f491;
  const random = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32 - 0.5;
  };
  const matrix = (name: string, ...shape: number[]): Tensor => {
    const size = shape.reduce((all, each) => all * each, 1);
    return { name: `${name}.weight`, shape, values: Float32Array.from({ length: size }, random) };
  };
  const ones = (name: string): Tensor => ({
    name: `${name}.weight`,
    shape: [WIDTH],
    values: new Float32Array(WIDTH).fill(1),
  });
  const layer = (at: number): Tensor[] => [
    ones(`blk.${at}.attn_norm`),
    ...["q", "k", "v", "output"].map((of) => matrix(`blk.${at}.attn_${of}`, WIDTH, WIDTH)),
    ones(`blk.${at}.ffn_norm`),
    matrix(`blk.${at}.ffn_gate`, WIDTH, FEED),
    matrix(`blk.${at}.ffn_up`, WIDTH, FEED),
    matrix(`blk.${at}.ffn_down`, FEED, WIDTH),
  ];
  return [
    matrix("token_embd", WIDTH, words),
    ...Array.from({ length: LAYERS }, (_, at) => layer(at)).flat(),
    ones("output_norm"),
    matrix("output", WIDTH, words),
  ];
}

const numbered = (size: number, write: (buffer: Buffer) => void): Buffer => {
  const buffer = Buffer.alloc(size);
  write(buffer);
  return buffer;
};
const u32 = (value: number): Buffer => numbered(4, (buffer) => buffer.writeUInt32LE(value));
const u64 = (value: number): Buffer =>
  numbered(8, (buffer) => buffer.writeBigUInt64LE(BigInt(value)));
const f32 = (value: number): Buffer => numbered(4, (buffer) => buffer.writeFloatLE(value));
const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
};
const setting = (name: string, kind: number, value: Buffer): Buffer =>
  Buffer.concat([text(name), u32(kind), value]);
const list = (kind: number, values: Buffer[]): Buffer =>
  Buffer.concat([u32(kind), u64(values.length), ...values]);
const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((ALIGN - (bytes.length % ALIGN)) % ALIGN)]);
