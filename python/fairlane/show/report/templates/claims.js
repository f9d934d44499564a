// Filters claims by verdict and by words.
for (const page of document.querySelectorAll(".claims")) {
  const form = page.querySelector(".filter"),
    output = form.querySelector("output"),
    search = form.querySelector("input[type=search]");
  const nothing = page.querySelector(".nothing");
  const claims = [...page.querySelectorAll(".claim")].map((element) => ({
    element,
    text: element.textContent.toLowerCase(),
  }));

  const choose = () => {
    const verdict = form.querySelector("input[type=radio]:checked").value;
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { element, text } of claims) {
      element.hidden = (verdict && element.dataset.verdict !== verdict) || !words.every((word) => text.includes(word));
      shown += !element.hidden;
    }
    nothing.hidden = shown > 0;
    output.textContent = shown === claims.length ? "" : `${shown} of ${claims.length}`;
  };
  form.addEventListener("input", choose);
  nothing.querySelector("button").addEventListener("click", () => {
    search.value = "";
    form.querySelector("input[type=radio][value='']").checked = true;
    choose();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  whenOpened(page, (choice) => {
    const radio = [...form.querySelectorAll("input[type=radio]")].find((one) => one.value === choice);
    if (choice && radio) {
      radio.checked = true;
      choose();
    }
  });
}
