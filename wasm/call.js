// module.call(name, json): what the engine says, as JSON.
Module["call"] = (name, json) => Module["ccall"]("attune_call", "string", ["string", "string"], [name, json]);
