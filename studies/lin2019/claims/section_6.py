"""Section 6: Wi-Fi, which waits."""

from . import CLAIMS

unsupported = CLAIMS.unsupported

unsupported("performance-wifi", "lin2019-s61-1")
unsupported("performance-wifi", "lin2019-s61-2", contradicted="Tables 12 and 13: 38 % for BBR")
unsupported(
    "performance-wifi",
    "lin2019-s61-3",
    contradicted="Tables 12 and 13: 10 % for BBR, 37 % for Westwood+, 42 % for CUBIC",
)
unsupported(
    "performance-wifi", "lin2019-s611-1", contradicted="Table 13: NewReno retransmits 0.031 in a second, BBR 0.036"
)
unsupported("performance-wifi", "lin2019-s611-2")
unsupported("performance-wifi", "lin2019-s611-3", contradicted="Table 12 has 2.92 times as many, the text 1.75")
unsupported("performance-wifi", *(f"lin2019-s611-{number}" for number in (4, 5, 6)))
unsupported("performance-wifi", "lin2019-obs8", "lin2019-s612-1", "lin2019-s612-2", "lin2019-obs9")
unsupported("download-wifi", "lin2019-s62-1", "lin2019-s62-2")
unsupported("friendliness-wifi", *(f"lin2019-s63-{number}" for number in (1, 2, 3, 4, 5)), "lin2019-obs10")
unsupported("convergence-wifi", "lin2019-s64-1", "lin2019-s64-2", "lin2019-s64-3", "lin2019-obs11")
