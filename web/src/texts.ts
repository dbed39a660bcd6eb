// All that the page says, in English and in Chinese.

export type Language = "en" | "zh";

const texts = {
  heat: ["Heat map", "热图"],
  heads: ["Heads", "注意力头"],
  model: ["Whole model", "整个模型"],
  steps: ["Step by step", "逐步解码"],
  compare: ["Compare", "对比"],
  hand: ["By hand", "手算"],
  positions: ["Positions", "位置编码"],
  training: ["Training", "训练"],
  views: ["Views", "视图"],

  sentence: ["Sentence", "句子"],
  modelName: ["Model", "模型"],
  kind: ["Attention", "注意力"],
  encoder: ["source → source", "源 → 源"],
  decoder: ["target → target", "译文 → 译文"],
  cross: ["target → source", "译文 → 源"],
  layer: ["Layer", "层"],
  head: ["Head", "头"],
  meanOfHeads: ["mean of all", "所有头的平均"],
  colour: ["Colour", "颜色"],
  linear: ["linear", "线性"],
  log: ["logarithmic", "对数"],
  light: ["light", "浅色"],
  dark: ["dark", "深色"],
  system: ["as the system", "跟随系统"],
  theme: ["Theme", "主题"],
  language: ["中文", "English"],
  keys: ["Keys", "快捷键"],
  close: ["Close", "关闭"],
  open: ["Open a JSON file", "打开 JSON 文件"],
  forced: ["given target", "给定的译文"],
  searched: ["found by search", "由搜索得到"],
  nothing: ["There is nothing to look at: the sentence has no tokens.", "没有可看的内容：句子中没有词元。"],
  empty: [
    "No attention has been loaded. Drop a JSON file of `attune attend --format json`, or of BertViz, on this page. The views “By hand” and “Positions” work without one.",
    "尚未载入注意力数据。可将 `attune attend --format json`（或 BertViz）的 JSON 文件拖到本页。“手算”和“位置编码”无需数据。",
  ],
  cannotRead: ["This cannot be shown: ", "无法显示："],

  fit: ["fit", "适应"],
  zoomIn: ["Zoom in", "放大"],
  zoomOut: ["Zoom out", "缩小"],
  mapHelp: [
    "Point at a cell, or use the arrow keys. + and − zoom, 0 fits, dragging moves.",
    "指向单元格或用方向键查看；+ 和 − 缩放，0 适应窗口，拖动可平移。",
  ],
  mapLabel: ["Attention as a heat map: a row for each token that looks, a column for each that is looked at", "注意力热图：每行是一个查询词元，每列是被关注的词元"],
  row: ["row", "行"],
  column: ["column", "列"],
  meanNote: [
    "So long a sentence is shown as the mean of the heads of each layer; --head shows one exactly.",
    "句子过长，每层只显示各头的平均；用 --head 可查看单个头。",
  ],

  least: ["Lines from", "连线下限"],
  headsHelp: [
    "Lines join each token with what it looks at; the thicker, the more. Point at a token to see its lines alone; the squares turn heads on and off (double-click: that head alone).",
    "连线表示词元关注的对象，越粗权重越大。指向词元只看它的连线；点击方块开关各头（双击只看该头）。",
  ],
  all: ["all", "全部"],
  none: ["none", "无"],

  sort: ["Order", "排序"],
  byLayer: ["layers and heads", "按层与头"],
  entropy: ["entropy", "熵"],
  diagonal: ["diagonal", "对角"],
  previous: ["previous token", "前一词元"],
  modelHelp: [
    "Every head of every layer. Entropy: 0 looks at one token, 1 at all alike. Diagonal: weight on the diagonal. Previous token: weight on the token before. Click to enlarge.",
    "每一层的每一个头。熵：0 表示只看一个词元，1 表示均匀。对角：对角线上的权重。前一词元：前一个词元上的权重。点击放大。",
  ],

  step: ["Step", "步骤"],
  play: ["Play", "播放"],
  pause: ["Pause", "暂停"],
  back: ["Back", "上一步"],
  next: ["Next", "下一步"],
  reads: ["It reads", "读入"],
  writes: ["It writes", "写出"],
  candidates: ["What could come next", "下一个词元的候选"],
  beam: ["The search: every hypothesis that was kept", "搜索过程：所有保留过的假设"],
  beamHelp: ["A number is the sum of log probabilities. Click a token to see what could have come after it.", "数字是对数概率之和。点击词元可查看其后的候选。"],
  looked: ["Where this step looked", "这一步关注的位置"],
  noSteps: ["There are no steps: this model reads and does not write.", "没有步骤：该模型只读不写。"],
  answers: ["What it answers", "模型的回答"],
  ended: ["ended", "结束"],

  compareHelp: ["The same sentence in each model.", "同一个句子在各个模型中的注意力。"],
  oneModel: ["There is one model only. `attune attend -m A -m B --format html` compares two.", "只有一个模型。用 `attune attend -m A -m B --format html` 对比两个。"],

  handHelp: [
    "Attention with real numbers. Change any number: everything below follows at once.",
    "用真实数字计算注意力。修改任何数字，下面的结果立即更新。",
  ],
  word: ["word", "词"],
  query: ["query: what a word asks for", "查询 q：词想找什么"],
  key: ["key: what a word answers to", "键 k：词能回答什么"],
  value: ["value: what a word gives", "值 v：词给出什么"],
  handScores: ["1. Scores: how well does each key answer each query?", "1. 打分：每个键与每个查询有多匹配？"],
  handScaled: ["2. Scale: divide by the root of the width, so that long vectors do not decide everything", "2. 缩放：除以维数的平方根，避免向量变长后分数过大"],
  handShares: ["3. Softmax: shares that add up to 1 in every row", "3. Softmax：每行变成和为 1 的份额"],
  handOutput: ["4. Mix: each word's new vector is the sum of the values, each times its share", "4. 混合：新向量是各个值乘以份额之和"],
  causal: ["a word sees only itself and those before it (causal)", "只看自己和前面的词（因果掩码）"],
  reset: ["Start again", "恢复初始值"],

  positionsHelp: [
    "How a Transformer knows the order of words: to each word a pattern is added that only its position has. Each dimension is a wave; the waves get longer from left to right.",
    "Transformer 如何知道词序：给每个词加上只属于其位置的图案。每一维是一条波，从左到右波长越来越长。",
  ],
  position: ["position", "位置"],
  dimension: ["dimension", "维度"],
  curves: ["Single dimensions as curves", "单个维度的曲线"],
  positionMap: ["Positional encoding: 50 positions, 128 dimensions", "位置编码：50 个位置，128 维"],
  similar: ["How alike two positions are: the product of their patterns", "两个位置有多相似：图案的内积"],

  curvesOf: ["Curves", "曲线"],
  update: ["update", "更新"],
  samples: ["Outputs for the validation set", "验证集上的输出"],
  reference: ["reference", "参考"],
  output: ["output", "输出"],
  emerging: ["How attention emerges: one sentence after each validation", "注意力如何形成：每次验证后的同一个句子"],
  noRun: ["There is no training run here. `attune attend --run FOLDER --format html` shows one.", "没有训练记录。用 `attune attend --run 文件夹 --format html` 查看。"],
  noAttention: ["Train with attend_sentence to see the attention of a sentence after each validation.", "训练时设置 attend_sentence，可看到每次验证后某句的注意力。"],

  keyViews: ["1 … 8: the views", "1 … 8：切换视图"],
  keyLayers: ["[ and ]: layer before, layer after", "[ 和 ]：上一层、下一层"],
  keyHeads: [", and .: head before, head after", ", 和 .：上一头、下一头"],
  keyArrows: ["arrows: the cells of a map; steps of the search", "方向键：热图单元格；解码步骤"],
  keyZoom: ["+, −, 0: zoom a map", "+、−、0：缩放热图"],
  keyLog: ["l: linear or logarithmic colour", "l：线性或对数颜色"],
  keySpace: ["space: play or stop the steps", "空格：播放或暂停"],
  keyHelp: ["?: this list", "?：显示本列表"],
} satisfies Record<string, [string, string]>;

export type TextKey = keyof typeof texts;

export function text(language: Language, key: TextKey): string {
  return texts[key][language === "en" ? 0 : 1];
}
