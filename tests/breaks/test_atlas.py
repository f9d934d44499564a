"""The atlas is one file that needs nothing else, and shows each witness."""

import re
from pathlib import Path


def test_the_atlas_has_the_map_and_a_card_for_each_witness(cli, write):
    write()
    found = cli("break", "vegas", "--family", "path", "--evaluations", 32, "--most", 2)
    assert found.status == 0
    page = Path("results/break/vegas/atlas.html").read_text()
    assert "Where vegas fails" in page
    for file in Path("results/break/vegas/witnesses").iterdir():
        assert f'id="{file.stem}"' in page
        assert file.stem in found.out
    assert len(re.findall(r"<svg[^>]*role=\"img\"", page)) == len(list(Path("results/break/vegas/witnesses").iterdir()))
    assert len(re.findall(r"<tr><th scope=\"row\">", page)) == 8
    assert not re.search(r"(src|href)=\"(?!#)", page), "no other file"
