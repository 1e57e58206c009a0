package httpapi

import (
	"net/http"
	"time"

	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/jsondoc"
	"orgd/domain/session"
)

// device serves POST /auth/oidc/device: without a body it begins a sign-in that somebody
// approves with a browser on another device; with a code it asks what came of it.
func (h signIns) device(r *request.Request) error {
	given, err := r.HasBody()
	if err != nil {
		return err
	}
	if !given {
		d, err := h.svc.BeginDevice(r.Ctx())
		if err != nil {
			return err
		}
		r.Writer.Header().Set("Cache-Control", "no-store")
		return r.SendObject(func(w *jsondoc.Writer) { writeDevice(w, d) })
	}
	code, err := readBody(r, parseDevice)
	if err != nil {
		return err
	}
	token, s, err := h.svc.FinishDevice(r.Ctx(), r.Call(), code)
	if err != nil {
		return h.countFailure(r, err)
	}
	return sendToken(r, token, s, http.StatusCreated)
}

func writeDevice(w *jsondoc.Writer, d session.Device) {
	w.Field("device_code").Text(d.Code)
	w.Field("user_code").Text(d.UserCode)
	w.Field("verification_uri").Text(d.Address)
	w.Field("verification_uri_complete").TextOrNull(jsondoc.NonZero(d.Complete))
	w.Field("interval").Int(int64(d.Interval / time.Second))
}

// parseDevice reads {"device_code": "..."}.
func parseDevice(doc jsondoc.Value) (code string, err error) {
	err = jsondoc.ReadWhole(doc, func(r *jsondoc.Reader) {
		r.Text("device_code", &code, 1, 2048)
		r.Require("device_code")
	})
	return code, err
}
