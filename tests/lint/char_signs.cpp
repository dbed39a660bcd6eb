// What scripts/check_chars has to find: one thing a line. It is never built.
#include <array>
#include <cctype>
#include <string>

bool blank(const std::string& text) { return text[0] <= ' '; }
bool ordered(char a, char b) { return a < b; }
bool letter(char c) { return std::isalpha(c) != 0; }
int in_table(const int* table, char c) { return table[c]; }
int in_array(const std::array<int, 256>& table, char c) { return table[c]; }
long number(char c) { return static_cast<long>(c); }

// And what it has to leave alone.
bool equal(char c) { return c == ' '; }
bool bytes(char c) { return static_cast<unsigned char>(c) <= ' '; }
bool points(char32_t c) { return c <= ' '; }
