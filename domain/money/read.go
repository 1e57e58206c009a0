package money

import (
	"orgd/domain/decimal"
	"orgd/domain/jsondoc"
)

// ReadAmount reads the amount in the member name into dst. An absent member
// leaves dst as it is; a wrong one is recorded in r.
func ReadAmount(r *jsondoc.Reader, name string, dst *Amount) {
	*dst = Amount(readFixed(r, name, int64(*dst), int64(MaxAmount), amountDecimals))
}

// ReadPercent reads the percentage in the member name into dst. An absent
// member leaves dst as it is; a wrong one is recorded in r.
func ReadPercent(r *jsondoc.Reader, name string, dst *Percent) {
	*dst = Percent(readFixed(r, name, int64(*dst), int64(Hundred), percentDecimals))
}

// readFixed reads a number of 0 to max/10^decimals and returns it times
// 10^decimals. It returns current if the member is absent or wrong.
func readFixed(r *jsondoc.Reader, name string, current, max int64, decimals int) int64 {
	limit := decimal.FromFixed(max, decimals)
	d := decimal.FromFixed(current, decimals)
	r.Decimal(name, &d, "0", limit)
	if v, ok := d.Fixed(decimals); ok {
		return v
	}
	r.Fail(name, "must have at most %d decimals", decimals)
	return current
}
