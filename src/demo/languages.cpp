#include "demo/languages.h"

#include <fmt/core.h>

#include <string_view>

#include "attune/error.h"
#include "text/utf8.h"

namespace attune::demo {
namespace {

constexpr std::array<const char*, 12> kNone = {};
constexpr int kHalf = 30, kQuarter = 15, kOClock = 0;

const Language kEnglish = {
    "English",
    {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
    {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
     "November", "December"},
    {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
    {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"},
    {{0, "am"}, {12, "pm"}},
    {"{month} {d}, {y}", "{mon} {d}, {y}", "{d} {month} {y}", "{th} of {month} {y}",
     "{weekday}, {month} {d}, {y}", "{weekday}, {d} {mon} {y}"},
    {{" at {h}:{min} {part}"},
     {", {h}:{min} {part}"},
     {" at {HH}:{min}"},
     {" at {h} {part}", kOClock},
     {" at half past {hour} {part}", kHalf}}};

const Language kChinese = {"中文",
                           {"星期日", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六"},
                           kNone,
                           kNone,
                           kNone,
                           {{0, "凌晨"}, {6, "早上"}, {9, "上午"}, {12, "中午"}, {13, "下午"}, {18, "晚上"}},
                           {"{y}年{m}月{d}日", "{Y}年{M}月{D}日", "{y}年{m}月{d}日{weekday}",
                            "{Y}年{M}月{D}日，{weekday}", "{y}/{mm}/{dd}"},
                           {{"{part}{zh}点{zmin}分"},
                            {"{part}{h0}点{min}分"},
                            {" {HH}:{min}"},
                            {"{part}{zh}点", kOClock},
                            {"{part}{zh}点半", kHalf},
                            {"{part}{zh}点一刻", kQuarter}}};

const Language kGerman = {
    "Deutsch",
    {"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
    {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
     "November", "Dezember"},
    {"Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."},
    {"eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"},
    {{0, "nachts"}, {5, "morgens"}, {12, "mittags"}, {13, "nachmittags"}, {18, "abends"}},
    {"{d}. {month} {y}", "{d}. {mon} {y}", "{dd}.{mm}.{y}", "{weekday}, den {d}. {month} {y}",
     "{weekday}, {dd}.{mm}.{y}"},
    {{" um {H}:{min} Uhr"},
     {", {H}.{min} Uhr"},
     {" um {H} Uhr", kOClock},
     {" um halb {next_hour} {part}", kHalf}}};

const Language kFrench = {
    "Français",
    {"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
    {"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
     "novembre", "décembre"},
    {"janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."},
    kNone,
    {},
    {"{er} {month} {y}", "le {er} {month} {y}", "{er} {mon} {y}", "le {weekday} {er} {month} {y}",
     "le {dd}/{mm}/{y}"},
    {{" à {H} h {min}"}, {" à {H}h{min}"}, {", {H}:{min}"}, {" à {H} h", kOClock}}};

const Language kSpanish = {
    "Español",
    {"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
    {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
     "noviembre", "diciembre"},
    {"ene.", "feb.", "mar.", "abr.", "may.", "jun.", "jul.", "ago.", "sept.", "oct.", "nov.", "dic."},
    kNone,
    {{0, "de la madrugada"}, {6, "de la mañana"}, {13, "de la tarde"}, {20, "de la noche"}},
    {"{d} de {month} de {y}", "{weekday}, {d} de {month} de {y}", "{d} {mon} {y}",
     "el {d} de {month} de {y}"},
    {{", {H}:{min} h"},
     {" a {las} {h}:{min} {part}"},
     {" a {las} {h} {part}", kOClock},
     {" a {las} {h} y media {part}", kHalf}}};

const Language kJapanese = {
    "日本語",
    {"日", "月", "火", "水", "木", "金", "土"},
    kNone,
    kNone,
    kNone,
    {{0, "午前"}, {12, "午後"}},
    {"{y}年{m}月{d}日", "{y}年{m}月{d}日（{weekday}）", "{y}年{m}月{d}日{weekday}曜日", "{Y}年{M}月{D}日"},
    {{" {H}時{min}分"}, {"{part}{h0}時{min}分"}, {"{part}{h0}時", kOClock}, {"{part}{h0}時半", kHalf}}};

constexpr const char* kDigits[] = {"〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"};

// 2026: 二〇二六
std::string digit_by_digit(int number) {
  std::string text;
  for (const char c : std::to_string(number)) text += kDigits[c - '0'];
  return text;
}

// 0 to 99: 零, 五, 十, 十五, 二十, 四十三
std::string han(int number) {
  if (number == 0) return "零";
  const int tens = number / 10, ones = number % 10;
  return fmt::format("{}{}{}", tens > 1 ? kDigits[tens] : "", tens > 0 ? "十" : "",
                     ones > 0 ? kDigits[ones] : "");
}

std::string ordinal(int day) {
  const int last = day / 10 == 1 ? 0 : day % 10;
  return fmt::format("{}{}", day, last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

const char* part_of_day(const Language& language, int hour) {
  const char* name = "";
  for (const auto& [from, part] : language.parts)
    if (hour >= from) name = part;
  return name;
}

int twelve_hours(int hour) { return (hour + 11) % 12 + 1; }

template <size_t n>
const char* at(const std::array<const char*, n>& names, int index) {
  return names[static_cast<size_t>(index)];
}

std::string field(std::string_view name, const Language& language, const Moment& t) {
  if (name == "y") return std::to_string(t.year);
  if (name == "m") return std::to_string(t.month);
  if (name == "d") return std::to_string(t.day);
  if (name == "mm") return fmt::format("{:02}", t.month);
  if (name == "dd") return fmt::format("{:02}", t.day);
  if (name == "th") return ordinal(t.day);
  if (name == "er") return t.day == 1 ? "1er" : std::to_string(t.day);
  if (name == "Y") return digit_by_digit(t.year);
  if (name == "M") return han(t.month);
  if (name == "D") return han(t.day);
  if (name == "month") return at(language.months, t.month - 1);
  if (name == "mon") return at(language.short_months, t.month - 1);
  if (name == "weekday") return at(language.weekdays, t.weekday);
  if (name == "part") return part_of_day(language, t.hour);
  if (name == "H") return std::to_string(t.hour);
  if (name == "HH") return fmt::format("{:02}", t.hour);
  if (name == "h") return std::to_string(twelve_hours(t.hour));
  if (name == "h0") return std::to_string(t.hour == 0 ? 0 : twelve_hours(t.hour));
  if (name == "zh") return han(t.hour == 0 ? 0 : twelve_hours(t.hour));
  if (name == "las") return twelve_hours(t.hour) == 1 ? "la" : "las";
  if (name == "min") return fmt::format("{:02}", t.minute);
  if (name == "zmin") return (t.minute > 0 && t.minute < 10 ? "零" : "") + han(t.minute);
  if (name == "hour") return at(language.hours, twelve_hours(t.hour) - 1);
  if (name == "next_hour") return at(language.hours, twelve_hours(t.hour + 1) - 1);
  throw Error(fmt::format("a date pattern has the unknown field {{{}}}", name));
}

}  // namespace

std::span<const Language> languages() {
  static const std::array all{kEnglish, kChinese, kGerman, kFrench, kSpanish, kJapanese};
  return all;
}

Filled fill(const char* pattern, const Language& language, const Moment& moment) {
  Filled filled;
  for (std::string_view rest = pattern; !rest.empty();) {
    const size_t open = rest.find('{');
    filled.text += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const size_t close = rest.find('}', open);
    const std::string name(rest.substr(open + 1, close - open - 1));
    const size_t begin = count_code_points(filled.text);
    filled.text += field(name, language, moment);
    filled.fields.push_back({name, begin, count_code_points(filled.text)});
    rest.remove_prefix(close + 1);
  }
  return filled;
}

}  // namespace attune::demo
