// Package raw passes the bytes of messages through.
package raw

// Codec encodes []byte unchanged.
type Codec struct{}

func (Codec) Marshal(v any) ([]byte, error) { return v.([]byte), nil }

func (Codec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = data
	return nil
}

func (Codec) Name() string { return "raw" }
