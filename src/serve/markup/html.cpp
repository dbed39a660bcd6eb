#include "serve/markup/html.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "serve/markup/cut_document.h"
#include "serve/markup/html_elements.h"
#include "serve/markup/html_tokens.h"
#include "text/utf8.h"

namespace attune::serve {
namespace {

constexpr size_t kDeepest = 32;  // nested marks

using Kind = HtmlToken::Kind;

// Where the text of a run begins and ends, without white space around it.
struct Edges {
  size_t begin = 0, end = 0;                // in the text; equal for none
  size_t source_begin = 0, source_end = 0;  // in the HTML
};

class Cutter {
 public:
  explicit Cutter(std::string_view html) : html_(html) {}

  std::vector<HtmlRun> all() {
    for (HtmlTokens tokens(html_); const auto token = tokens.next();) {
      read(*token);
      at_ += token->source.size();
    }
    if (kept_) end_kept(html_.size(), false);
    end_run(html_.size());
    if (!verbatim_.empty() || runs_.empty() || !runs_.back().text.empty())
      runs_.push_back({std::move(verbatim_), ""});
    return std::move(runs_);
  }

 private:
  // A mark, and where its tags are in the HTML.
  struct Tag {
    MarkupSpan mark;
    size_t source_begin, source_end;
    std::string name = {};
    bool closed = false;
  };
  // An element that is not translated, from its beginning.
  struct Kept {
    size_t source_begin, text_begin;
    Edges edges;
    bool in_line;
  };

  void read(const HtmlToken& token) {
    switch (token.kind) {
      case Kind::raw: return add_text(token.source, at_);
      case Kind::text: return read_text(token.source);
      case Kind::other: return add_alone(token);
      case Kind::start: return read_start(token);
      case Kind::end: return read_end(token);
    }
  }

  void read_start(const HtmlToken& token) {
    const bool in_line = is_inline(token.name);
    if (elements_.end_implied(token) && kept_ && !elements_.kept()) end_kept(at_, false);
    if (!in_line) end_line(token);
    const bool outside = !elements_.kept();
    elements_.open(token);
    if (outside && elements_.kept())
      kept_ = Kept{in_line ? at_ : run_begin_, run_.text.size(), edges_, in_line};
    else if (in_line && outside)
      open_mark(token);
  }

  void read_end(const HtmlToken& token) {
    const bool own = elements_.close(token);
    if (kept_ && !elements_.kept()) end_kept(own ? at_ + token.source.size() : at_, own);
    if (own) return;
    if (!is_inline(token.name)) return end_line(token);
    if (!kept_) close_mark(token);
  }

  void read_text(std::string_view text) {
    size_t source = at_;
    while (!text.empty()) {
      const size_t plain = std::min(text.find('&'), text.size());
      add_text(text.substr(0, plain), source);
      text.remove_prefix(plain);
      source += plain;
      if (text.empty()) break;
      const auto reference = html_reference(text);
      const size_t length = reference ? reference->length : 1;
      const std::string_view read = reference ? std::string_view(reference->text) : "&";
      run_.spellings.push_back({run_.text.size(), read.size(), std::string(text.substr(0, length))});
      for (Utf8Reader reader(read); const auto c = reader.next();) add(*c, source, source + length);
      text.remove_prefix(length);
      source += length;
    }
  }

  void add_text(std::string_view text, size_t source) {
    for (Utf8Reader reader(text); const auto c = reader.next();) {
      const size_t end = source + c->bytes.size();
      const bool line_end = c->value != ' ' && c->value < 0x80 && is_white_space(c->value);
      if (line_end) run_.spellings.push_back({run_.text.size(), 1, std::string(c->bytes)});
      add(line_end ? CodePoint{' ', " "} : *c, source, end);
      source = end;
    }
  }

  void add(const CodePoint& c, size_t source_begin, size_t source_end) {
    if (!is_white_space(c.value)) {
      if (edges_.begin == edges_.end) edges_ = {run_.text.size(), 0, source_begin, 0};
      edges_.end = run_.text.size() + c.bytes.size();
      edges_.source_end = source_end;
    }
    run_.text += c.bytes;
  }

  void add_alone(const HtmlToken& token) {
    if (kept_) return;
    const size_t here = run_.text.size();
    tags_.push_back({{here, here, std::string(token.source), ""}, at_, at_ + token.source.size()});
  }

  void open_mark(const HtmlToken& token) {
    add_alone(token);
    tags_.back().name = token.name;
    if (!is_void(token.name) && open_.size() < kDeepest) open_.push_back(tags_.size() - 1);
  }

  void close_mark(const HtmlToken& token) {
    const auto match = std::find_if(open_.rbegin(), open_.rend(),
                                    [&](size_t each) { return tags_[each].name == token.name; });
    if (match == open_.rend()) return add_alone(token);
    Tag& tag = tags_[*match];
    tag.mark.end = run_.text.size();
    tag.mark.after = token.source;
    tag.source_end = at_ + token.source.size();
    tag.closed = true;
    open_.erase(std::prev(match.base()), open_.end());
  }

  // Inside a line it is a mark that stands for its text, but only if its own tag ended it.
  void end_kept(size_t end, bool whole) {
    const Kept kept = *std::exchange(kept_, std::nullopt);
    if (kept.in_line && whole) {
      const std::string_view source = html_.substr(kept.source_begin, end - kept.source_begin);
      tags_.push_back({{kept.text_begin, run_.text.size(), std::string(source), "", true},
                       kept.source_begin,
                       end,
                       "",
                       true});
      return;
    }
    run_.text.resize(kept.text_begin);
    std::erase_if(run_.spellings, [&](const auto& each) { return each.begin >= kept.text_begin; });
    edges_ = kept.edges;
    end_run(kept.source_begin);
    verbatim_ += html_.substr(kept.source_begin, end - kept.source_begin);
    run_begin_ = end;
  }

  // At a tag that is not part of a line.
  void end_line(const HtmlToken& token) {
    if (kept_) {
      kept_->in_line = false;
      return;
    }
    end_run(at_);
    verbatim_ += token.source;
    run_begin_ = at_ + token.source.size();
  }

  bool needs_translation() const {
    size_t at = 0;
    for (const Tag& tag : tags_) {
      if (!tag.mark.literal) continue;
      if (has_letters(std::string_view(run_.text).substr(at, tag.mark.begin - at))) return true;
      at = tag.mark.end;
    }
    return has_letters(std::string_view(run_.text).substr(at));
  }

  // What is translated of a run is its text without the surrounding white space, together with the tags
  // around parts of it. Everything else stays as it is.
  void end_run(size_t end) {
    if (needs_translation()) {
      size_t front = edges_.source_begin, back = edges_.source_end;
      for (const Tag& tag : tags_) {
        const bool has_text = tag.mark.begin < edges_.end && tag.mark.end > edges_.begin;
        const bool has_all = tag.mark.begin <= edges_.begin && tag.mark.end >= edges_.end;
        if (!has_text || (has_all && !tag.mark.literal)) continue;
        if (tag.source_begin < front) front = tag.source_begin, edges_.begin = tag.mark.begin;
        if (tag.source_end > back) back = tag.source_end, edges_.end = tag.mark.end;
      }
      verbatim_ += html_.substr(run_begin_, front - run_begin_);
      finish_run(front, back);
      run_begin_ = back;
    }
    verbatim_ += html_.substr(run_begin_, end - run_begin_);
    run_begin_ = end;
    run_ = {};
    edges_ = {};
    tags_.clear();
    open_.clear();
  }

  void finish_run(size_t front, size_t back) {
    HtmlRun run{std::exchange(verbatim_, ""), run_.text.substr(edges_.begin, edges_.end - edges_.begin)};
    for (Tag& tag : tags_) {
      if (tag.source_begin < front || tag.source_end > back) continue;
      tag.mark.begin -= edges_.begin;
      tag.mark.end -= edges_.begin;
      run.marks.push_back(std::move(tag.mark));
    }
    for (HtmlRun::Spelling& spelling : run_.spellings) {
      if (spelling.begin < edges_.begin || spelling.begin >= edges_.end) continue;
      spelling.begin -= edges_.begin;
      run.spellings.push_back(std::move(spelling));
    }
    runs_.push_back(std::move(run));
  }

  std::string_view html_;
  size_t at_ = 0, run_begin_ = 0;
  std::vector<HtmlRun> runs_;
  HtmlRun run_;
  Edges edges_;
  std::vector<Tag> tags_;
  std::vector<size_t> open_;  // numbers of tags
  OpenElements elements_;
  std::optional<Kept> kept_;
  std::string verbatim_;  // markup before the run
};

}  // namespace

std::string HtmlRun::as_written(size_t begin, size_t end) const {
  std::string written;
  auto next = std::ranges::lower_bound(spellings, begin, {}, &Spelling::begin);
  for (size_t at = begin; at < end;) {
    if (next != spellings.end() && next->begin == at) {
      written += next->source;
      at += next++->length;
    } else {
      written += text[at++];
    }
  }
  return written;
}

std::vector<HtmlRun> cut_html(std::string_view html) { return Cutter(html).all(); }

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else
      escaped += c;
  }
  return escaped;
}

}  // namespace attune::serve
