def FusionAPass : Pass<"fusion-a"> {
  let options = [Option<"limit", "limit", "int64_t", "0", "A limit.">];
}
def FusionBPass : Pass<"fusion-b"> {
  let options = [Option<"limit", "limit", "int64_t", "0", "A limit.">];
}
