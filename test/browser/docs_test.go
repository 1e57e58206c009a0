package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The reference works without anything from elsewhere, and an operation can be
// tried with a token that is pasted.
func TestDocs(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := open(t, 1200, 900)
	b.do("open the reference", chromedp.Navigate(s.URL+"/docs"), chromedp.WaitVisible(css(".swagger-ui .opblock")))
	b.shot("docs")
	b.do("paste a token",
		chromedp.Click(css(".btn.authorize")), chromedp.WaitVisible(css(".modal-ux input")),
		chromedp.SendKeys(css(".modal-ux input"), s.token("admin", "ann")),
		chromedp.Click(css(".modal-ux button[type=submit]")),
		chromedp.WaitVisible(css(`.modal-ux button[aria-label="Remove authorization"]`)),
		chromedp.Click(css(".modal-ux .btn-done")))
	const operation = css(`.opblock-get:has([data-path="/api/v1/company"])`)
	b.do("try an operation",
		chromedp.Click(operation+" .opblock-summary-control"),
		chromedp.Click(operation+" .try-out__btn"), chromedp.Click(operation+" .execute"),
		chromedp.WaitVisible(operation+" .live-responses-table .response-col_status"))
	b.awaitText(`"autonomy_level": "supervised"`)
	if filled := eval[[]string](b, `[...document.querySelectorAll(".parameters input[type=text]")].map(e => e.value).filter(Boolean)`); len(filled) > 0 {
		t.Errorf("headers would be sent that nobody has typed: %q", filled)
	}
	b.shot("docs-tried")
	for _, url := range b.urls() {
		if !strings.HasPrefix(url, s.URL+"/") && !strings.HasPrefix(url, "data:") && url != "about:blank" {
			t.Errorf("the page asks for %s, which is elsewhere", url)
		}
	}
}
