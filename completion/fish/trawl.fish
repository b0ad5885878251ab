# fish completion for trawl: the program prints its own.
trawl --completion=fish 2>/dev/null | source
