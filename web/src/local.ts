// The page that has an engine of its own: the same page, and what it adds, which has to be there before the page begins.
import "./engine/page";
import "./main";
