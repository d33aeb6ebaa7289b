// The one source of the precompiled header's target.
