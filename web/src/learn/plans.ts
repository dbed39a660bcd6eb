// The models that learn in the page, and the settings of `attune train` for them.

export type PlanName = "none" | "bahdanau" | "luong" | "transformer";
export const PLANS: readonly PlanName[] = ["none", "bahdanau", "luong", "transformer"];

export interface Plan {
  rate: number; // learning rate
  updates: number;
  settings: Record<string, string>;
}

const rnn = { type: "rnn", embedding: "64", hidden: "128", mini_batch_words: "500" };

export const plans: Record<PlanName, Plan> = {
  none: { rate: 0.008, updates: 1200, settings: { ...rnn, attention: "none" } },
  bahdanau: { rate: 0.008, updates: 1200, settings: { ...rnn, attention: "additive" } },
  luong: { rate: 0.006, updates: 1400, settings: { ...rnn, attention: "concat", wiring: "luong" } },
  transformer: {
    rate: 0.004,
    updates: 1200,
    settings: { type: "transformer", encoder_layers: "2", decoder_layers: "2", d_model: "64", heads: "4", feed_forward: "128", norm: "pre", positions: "rotary", mini_batch_words: "800" },
  },
};

// A picture of attention every few seconds, on fast and on slow machines.
const SHARED = {
  vocab_kind: "char", dropout: "0", label_smoothing: "0", lr_schedule: "cosine", lr_warmup: "50u", seed: "1",
  valid_freq: "4s", valid_metrics: ["exact"], valid_samples: "4", disp_freq: "20u", early_stopping: "0", save_freq: "0",
};

export interface Sets {
  train: string[]; // files: source, target
  valid: string[];
  emerging: string; // the pair whose attention is kept, with a tab between
}

export interface Tuned {
  rate: number;
  updates: number;
}

export const folderOf = (name: PlanName): string => `/runs/${name}`;

export function settingsOf(name: PlanName, sets: Sets, { rate, updates }: Tuned): Record<string, string | string[]> {
  const attends: Record<string, string> = name === "none" ? {} : { attend_sentence: sets.emerging };
  return { ...SHARED, ...plans[name].settings, ...attends, train_sets: sets.train, valid_sets: sets.valid, model: folderOf(name), learning_rate: String(rate), after: `${updates}u` };
}
