// attune's models in a program of your own, in Node or in a browser.

/** The files of a model folder by their paths in it: config.json, weights.safetensors, ... */
export type ModelFiles = Record<string, Uint8Array>;

export interface ModelSource {
  /** Files, or in Node the path of a folder. */
  model: string | ModelFiles;
  /** Languages that it reads and writes, such as "en" and "de". */
  source?: string;
  target?: string;
}

export interface LoadOptions {
  /** engine.js and engine.wasm; otherwise those of this package. */
  engine?: { program: string; binary: Uint8Array };
  /** The longest text, in characters; 10,000 unless told. */
  characters?: number;
  /** How many workers share a long text, each with a copy of the model; as many as there are cores unless told, but at most 4. */
  workers?: number;
}

/** Starts the engine in a worker and opens the model, or several. Rejects with what is wrong. */
export function load(model: string | ModelFiles | ModelSource | ModelSource[], options?: LoadOptions): Promise<Attune>;

export interface Attune {
  /** What is open. */
  models(): Promise<Model[]>;
  translate(text: string, options?: TranslateOptions): Promise<Translation>;
  /** All attention of a model over a text, and of what it writes, or is made to write. */
  attend(text: string, options?: AttendOptions): Promise<Attention>;
  /** The text that a language model writes after the prompt, part by part. Leaving the loop ends it. */
  generate(prompt: string, options?: GenerateOptions): AsyncGenerator<string>;
  /** Any request that `attune serve` answers, for what the functions above do not offer. */
  fetch(path: string, init?: { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal }): Promise<Response>;
  /** Ends all workers: their memory is free again. */
  close(): void;
}

export interface Model {
  id: string;
  type: string;
  /** translate, generate, fill */
  task: string;
  parameters: number;
  beam_size: number;
  attends: boolean;
  source?: string;
  target?: string;
}

interface Common {
  /** Of `models()`; otherwise the first that can do it. */
  model?: string;
  /** Giving up rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface TranslateOptions extends Common {
  /** Outputs of each sentence, the best first; 1 unless told. */
  outputs?: number;
  /** With the weights of the source tokens for each token that was written. */
  alignment?: boolean;
}

export interface Translation {
  text: string;
  sentences: {
    source: string;
    source_tokens?: string[];
    outputs: {
      text: string;
      /** What outputs are ranked by. */
      normalised: number;
      /** Otherwise it was cut at the maximum length. */
      ended: boolean;
      tokens: string[];
      /** log p of each token, and of </s> if it ended. */
      word_scores: number[];
      alignment?: number[][];
    }[];
  }[];
}

export interface AttendOptions extends Common {
  /** The model is made to write it. */
  output?: string;
}

export interface Attention {
  model: string;
  type: string;
  source: string;
  target: string;
  encoder_tokens: string[];
  decoder_tokens: string[];
  decoder_outputs: string[];
  layers: {
    kind: "encoder" | "decoder" | "cross";
    /** From 0 in its kind. */
    layer: number;
    heads: number[];
    /** For each head: row q, column k is weights[q * keys + k]. */
    matrices: { queries: number; keys: number; weights: Float32Array }[];
  }[];
}

export interface GenerateOptions extends Common {
  /** Tokens at most; 60 unless told. */
  tokens?: number;
  /** 0 always takes the likeliest. */
  temperature?: number;
  top_k?: number;
  seed?: number;
}
