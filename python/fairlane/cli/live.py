"""`fairlane live`: the laboratory in a browser tab."""

from pathlib import Path

import click

from fairlane.cli.errors import bad_value, blamed_on
from fairlane.cli.help import ExampleCommand
from fairlane.show.text.terminal import echo


@click.command(
    cls=ExampleCommand,
    examples=["fairlane live", "fairlane live --open scene.toml", "fairlane live --port 8080 --no-browser"],
)
@click.option(
    "--open",
    "experiment",
    metavar="FILE.toml",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Show an experiment of one bottleneck.",
)
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    default=0,
    show_default="a free one",
    help="Port on 127.0.0.1.",
)
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open a browser.")
def command(experiment: Path | None, port: int, browser: bool) -> None:
    """Open the laboratory in a browser: watch packets, change the network while it runs.

    Serves the page on 127.0.0.1 until Ctrl-C. The page computes with the same simulator and algorithms, compiled to
    WebAssembly, and makes no request to any other place.
    """
    from fairlane.show.live import NoSceneError, scene_of, server

    scene = ""
    if experiment is not None:
        with blamed_on("--open", NoSceneError):
            scene = f"#{scene_of(experiment)}"
    try:
        serving = server(port)
    except OSError as error:
        raise bad_value("--port", f"{port} cannot be used ({error.strerror}); choose another") from None
    address = f"http://127.0.0.1:{serving.server_address[1]}/{scene}"
    echo(f"{address}\nCtrl-C ends it")
    if browser:
        import webbrowser

        webbrowser.open(address)
    with serving:
        serving.serve_forever()
